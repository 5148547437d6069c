"""Which licence a source is under, as an SPDX identifier, from its metadata or its licence file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from ingester.domain.expressions import is_expression, satisfied

# Classifier ends and common spellings of the `License` field, in lower case.
_NAMES = {
    "mit": "MIT",
    "mit license": "MIT",
    "the mit license": "MIT",
    "the mit license (mit)": "MIT",
    "bsd": "BSD-3-Clause",
    "bsd license": "BSD-3-Clause",
    "bsd-2-clause": "BSD-2-Clause",
    "bsd 2-clause license": "BSD-2-Clause",
    "bsd-3-clause": "BSD-3-Clause",
    "bsd 3-clause license": "BSD-3-Clause",
    "new bsd license": "BSD-3-Clause",
    "apache": "Apache-2.0",
    "apache-2.0": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "isc": "ISC",
    "isc license": "ISC",
    "isc license (iscl)": "ISC",
    "mpl-2.0": "MPL-2.0",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "python software foundation license": "PSF-2.0",
    "psf-2.0": "PSF-2.0",
    "the unlicense (unlicense)": "Unlicense",
    "unlicense": "Unlicense",
    "zero-clause bsd (0bsd)": "0BSD",
    "gnu general public license v2 (gplv2)": "GPL-2.0-only",
    "gnu general public license v3 (gplv3)": "GPL-3.0-only",
    "gnu general public license v3 or later (gplv3+)": "GPL-3.0-or-later",
    "gnu lesser general public license v3 (lgplv3)": "LGPL-3.0-only",
    "gnu affero general public license v3": "AGPL-3.0-only",
}
_KNOWN = frozenset({*_NAMES.values(), "LGPL-3.0-or-later", "LGPL-2.1-only", "LGPL-2.1-or-later", "GPL-2.0-or-later"})

# Words that stand in the text of exactly one licence: a long one, whose text begins with them.
_LONG: tuple[tuple[str, str], ...] = (
    ("gnu affero general public license version 3", "AGPL-3.0-only"),
    ("gnu lesser general public license version 3", "LGPL-3.0-only"),
    ("gnu general public license version 3", "GPL-3.0-only"),
    ("gnu general public license version 2", "GPL-2.0-only"),
    ("mozilla public license version 2.0", "MPL-2.0"),
    ("mozilla public license, version 2.0", "MPL-2.0"),
    ("apache license version 2.0", "Apache-2.0"),
    ("python software foundation license version 2", "PSF-2.0"),
)
# And a short one, with how many characters it has from there on at most.
_SHORT: tuple[tuple[str, str, int], ...] = (
    ("this is free and unencumbered software released into the public domain", "Unlicense", 1500),
    ("permission is hereby granted, free of charge, to any person obtaining a copy", "MIT", 1400),
    ("permission to use, copy, modify, and/or distribute this software for any purpose", "ISC", 1000),
    ("permission to use, copy, modify, and distribute this software for any purpose", "ISC", 1000),
    ("redistribution and use in source and binary forms", "BSD", 2000),
)
_HEAD = 600
_NEITHER_NAME = re.compile(r"neither the name|names? of .{0,80} may (?:not )?be used", re.IGNORECASE)
# Whoever writes these beside a licence grants less, or tells of other licences too.
_LESS = re.compile(
    r"commons clause|non-?commercial|good, not evil|proprietary|confidential|third[- ]party|bundled|no part of"
    r"|written (?:agreement|permission of)|does not grant|licen[sc]e condition|may not (?:make|sell)|business source"
    r"|dual[- ]licen[sc]ed|also licen[sc]ed"
)
# What the short licences themselves say of this.
_OWN_WORDS = re.compile(r"specific prior written permission(?: of)?|commercial or non-?commercial")
_ELSEWHERE = re.compile(r"^(?:see|unknown|none|license|licence|dual license)?$|\bsee\b|\bfile\b|\.(?:txt|md|rst)$")
_IDENTIFIER = re.compile(r"(?<![A-Za-z0-9.+-])(?!(?:AND|OR|WITH)\b)[A-Za-z0-9.+-]+")
_SPDX = re.compile(rb"SPDX-License-Identifier:[ \t]*([\w.+() -]+)")
_HEADER_BYTES = 3000


def from_metadata(metadata: str) -> str | None:
    """The licence that core metadata (PKG-INFO) declares: "" where it is not understood, none where it declares none.

    Args:
        metadata: Text of a PKG-INFO or METADATA file.

    Example:
        >>> from_metadata("Name: x\\nLicense-Expression: MIT OR Apache-2.0\\n")
        'MIT OR Apache-2.0'
        >>> from_metadata("Classifier: License :: OSI Approved :: BSD License\\n")
        'BSD-3-Clause'
        >>> from_metadata("License: Proprietary\\n"), from_metadata("Name: x")
        ('', None)
    """
    fields = _fields(metadata)
    for expression in fields.get("license-expression", []):
        return " ".join(expression.split()) if is_expression(expression) else ""
    classified = {
        _NAMES.get(each.rsplit(" :: ", 1)[1].lower(), "")
        for each in fields.get("classifier", [])
        if each.startswith("License :: ") and each != "License :: OSI Approved"
    }
    written = {_named(each) for each in fields.get("license", [])} - {None}
    if not classified:
        return _only(written)
    if len(written) == 1 and {*_IDENTIFIER.findall(" ".join(each or "" for each in written))} == classified:
        return _only(written)
    # Classifiers do not tell one BSD licence from the other; what is written is more exact, where both are of a kind.
    kinds = {(each or "").partition("-")[0] for each in (classified | written) - {""}}
    if len(kinds) > 1 or "" in classified or any(map(_LESS.search, map(str.lower, fields.get("license", [])))):
        return ""
    return _only(written - {""}) or _only(classified)


def _fields(metadata: str) -> Mapping[str, list[str]]:
    """The values of the fields above the description, lines that continue one with it."""
    fields: dict[str, list[str]] = {}
    last: list[str] = []
    for line in metadata.replace("\r\n", "\n").split("\n\n", 1)[0].splitlines():
        name, colon, value = line.partition(":")
        if line.startswith((" ", "\t")):
            if last:
                last[-1] = f"{last[-1]}\n{line.strip()}"
        elif colon:
            last = fields.setdefault(name.strip().lower(), [])
            last.append(value.strip())
    return fields


def _named(words: str) -> str | None:
    """The licence that a field names: "" where it is not understood, none where it names none."""
    plain = " ".join(words.lower().split())
    if plain in _NAMES:
        return _NAMES[plain]
    if is_expression(words) and satisfied(words, _KNOWN):
        return words
    if found := from_text(words):
        return found
    return None if _ELSEWHERE.search(plain) else ""


def _only(names: AbstractSet[str | None]) -> str | None:
    """The one name of several; none where there is none, "" where it is not one alone."""
    if not names:
        return None
    return next(iter(names)) if len(names) == 1 else ""


def from_text(text: str) -> str:
    """The licence that a licence file is, or "": one that holds its words among others is not it.

    Example:
        >>> from_text("Permission is hereby granted, free of charge, to any person obtaining a copy of")
        'MIT'
    """
    flat = " ".join(text.split())
    lowered = flat.lower()
    for words, identifier in _LONG:
        place = lowered.find(words, 0, _HEAD + len(words))
        if place >= 0:
            return "" if _LESS.search(lowered[:place]) else identifier
    if lowered.startswith("a. history of the software") and _LONG[-1][0] in lowered:
        return _LONG[-1][1]
    found = [(place, *each) for each in _SHORT if (place := lowered.find(each[0])) >= 0]
    if len(found) != 1 or any(words in lowered for words, _ in _LONG):
        return ""
    place, words, identifier, most = found[0]
    if len(flat) - place > most or lowered.count(words) > 1 or place > _HEAD * 3:
        return ""
    if _LESS.search(_OWN_WORDS.sub("", lowered)):
        return ""
    if identifier != "BSD":
        return identifier
    return "BSD-3-Clause" if _NEITHER_NAME.search(flat) else "BSD-2-Clause"


def of_files(texts: Mapping[str, str]) -> str | None:
    """The licence that the files of one folder state: "" where it is not understood, none where no file states one.

    Args:
        texts: Metadata and licence files by name.
    """
    for name in ("PKG-INFO", "METADATA"):
        stated = from_metadata(texts.get(name, ""))
        if stated is not None:
            return stated
    files = {name: from_text(text) for name, text in texts.items() if is_file(name)}
    # One of the two that is called plainly `LICENSE` speaks for all.
    plain = {found for name, found in files.items() if _PLAIN.match(name)}
    found = plain or {*files.values()}
    if found == {"GPL-3.0-only", "LGPL-3.0-only"} or {*files.values()} == {"GPL-3.0-only", "LGPL-3.0-only"}:
        # The lesser licence adds to the text of the other.
        return "LGPL-3.0-only"
    return _only(found)


_FILE = re.compile(r"(?:licen[sc]es?|copying|unlicense)(?:[-_. ].*)?$", re.IGNORECASE)
_PLAIN = re.compile(r"(?:licen[sc]e|copying|unlicense)(?:\.(?:txt|md|rst))?$", re.IGNORECASE)
_PROGRAM = re.compile(r"\.(?:py|js|mjs|ts|java|go|php|json|ya?ml|toml|html|tmpl|tpl)$", re.IGNORECASE)


def is_file(name: str) -> bool:
    """Whether a file of this name is a licence, or metadata."""
    return name in ("PKG-INFO", "METADATA") or bool(_FILE.match(name) and not _PROGRAM.search(name))


def named_in(source: bytes) -> str:
    """The licence that the head of a file names by an SPDX line; empty where it names none.

    Example:
        >>> named_in(b"# SPDX-License-Identifier: MIT\\n/* SPDX-License-Identifier: BSD-3-Clause */")
        '(MIT) AND (BSD-3-Clause)'
    """
    lines = [match[1].decode().strip(" -") for match in _SPDX.finditer(source[:_HEADER_BYTES])]
    named = list(dict.fromkeys(each for each in lines if each))
    return named[0] if len(named) == 1 else " AND ".join(f"({each})" for each in named)


def allowed(licence: str, allow_list: Iterable[str]) -> bool:
    """Whether a licence expression can be satisfied from an allow-list; an empty list allows everything.

    `A OR B` needs one of the two, `A AND B` both; an exception (`A WITH E`) counts as its licence. What is no
    expression is not allowed.

    Example:
        >>> allowed("MIT OR GPL-3.0-only", ["MIT"]), allowed("MIT AND GPL-3.0-only", ["MIT"]), allowed("", ["MIT"])
        (True, False, False)
    """
    names = set(allow_list)
    return not names or satisfied(licence, names)
