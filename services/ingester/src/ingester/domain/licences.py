"""Which licence a source is under, as an SPDX identifier, from its metadata or its licence file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from ingester.domain.expressions import is_expression, satisfied
from ingester.domain.licence_texts import says_no_more, words

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

# How the text of a long licence begins: its title, and what follows there, which no mere mention of it has.
_LONG: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"gnu affero general public license version 3, 19 november 2007"), "AGPL-3.0-only"),
    (re.compile(r"gnu lesser general public license version 3, 29 june 2007"), "LGPL-3.0-only"),
    (re.compile(r"gnu general public license version 3, 29 june 2007"), "GPL-3.0-only"),
    (re.compile(r"gnu general public license version 2, june 1991"), "GPL-2.0-only"),
    (re.compile(r"mozilla public license,? version 2\.0[ =]*1\. definitions"), "MPL-2.0"),
    (re.compile(r"apache license,? version 2\.0, january 2004"), "Apache-2.0"),
    (re.compile(r"python software foundation license version 2[ -]*1\. this license agreement"), "PSF-2.0"),
)
# How a short one begins.
_SHORT: tuple[tuple[str, str], ...] = (
    ("this is free and unencumbered software released into the public domain", "Unlicense"),
    ("permission is hereby granted, free of charge, to any person obtaining a copy", "MIT"),
    ("permission to use, copy, modify, and/or distribute this software for any purpose", "ISC"),
    ("permission to use, copy, modify, and distribute this software for any purpose", "ISC"),
    ("redistribution and use in source and binary forms", "BSD"),
)
# Licences that are another one with or without a clause.
_VARIANTS: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("MIT", re.compile(r"furnished to do so\. the software is provided"), "MIT-0"),
    ("ISC", re.compile(r"is hereby granted\. the software is provided"), "0BSD"),
    ("BSD", re.compile(r"advertising materials mentioning"), "BSD-4-Clause"),
    ("BSD", re.compile(r"patent rights are granted"), "BSD-3-Clause-Clear"),
    ("BSD", re.compile(r"neither the name|names? of .{0,80} may (?:not )?be used"), "BSD-3-Clause"),
    ("BSD", re.compile(""), "BSD-2-Clause"),
)
_HEAD = 600
# Whoever writes these before a licence grants less, or tells of other licences too.
_LESS = re.compile(
    r"commons clause|non-?commercial|good, not evil|proprietary|confidential|third[- ]party|bundled|no part of"
    r"|written (?:agreement|permission of)|does not grant|licen[sc]e condition|may not (?:make|sell)|business source"
    r"|dual[- ]licen[sc]ed|also licen[sc]ed|academic|prohibited|\bonly\b|portions|\b[al]?gpl|general public"
)
# And whoever writes these behind a long one; notices of others' code stand there too.
_LESS_BEHIND = re.compile(r"commons clause|business source|(?:non-?commercial|academic) (?:use|purpose|research)")
# What a field may say beside the name of a licence without speaking of another.
_PLAIN_WORDS = words(
    "the a an license licence licensed licenses under terms of see in file for details version v open source software "
    "approved osi www opensource org https http txt md rst unknown none"
)
_ELSEWHERE = re.compile(r"^(?:see|unknown|none|license|licence|dual license)?$|\bsee\b|\bfile\b|\.(?:txt|md|rst)$")
_IDENTIFIER = re.compile(r"(?<![A-Za-z0-9.+-])(?!(?:AND|OR|WITH)\b)[A-Za-z0-9.+-]+")
_SPDX = re.compile(rb"SPDX-License-Identifier[ \t]*:[ \t]*([\w.+() -]+)", re.IGNORECASE)
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
    expressions = {" ".join(each.split()) for each in fields.get("license-expression", [])}
    if expressions:
        return (_only(expressions) or "") if all(map(is_expression, expressions)) else ""
    classified = {
        _NAMES.get(each.rsplit(" :: ", 1)[1].lower(), "")
        for each in fields.get("classifier", [])
        if each.startswith("License :: ") and each != "License :: OSI Approved"
    }
    named = {each: _named(each) for each in fields.get("license", [])}
    written = {*named.values()} - {None}
    if not classified:
        return _only(written)
    if len(written) == 1 and {*_IDENTIFIER.findall(" ".join(each or "" for each in written))} == classified:
        return _only(written)
    # Classifiers do not tell one BSD licence from the other; what is written is more exact, where both are of a kind.
    if len(_kinds(classified | written)) > 1 or "" in classified:
        return ""
    about = {*classified, *(name for name, identifier in _NAMES.items() if identifier in classified)}
    if not words(" ".join(each for each, name in named.items() if not name)) <= words(" ".join(about)) | _PLAIN_WORDS:
        return ""
    return _only(written - {""}) or _only(classified)


def _kinds(licences: Iterable[str | None]) -> set[str]:
    """Of which kinds the licences of some expressions are: `BSD` for every licence whose name begins so."""
    return {name.partition("-")[0] for each in licences for name in _IDENTIFIER.findall(each or "")}


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
    lowered = " ".join(text.split()).lower()
    for begins, identifier in _LONG:
        title = begins.search(lowered, 0, 2 * _HEAD)
        if title and title.start() <= _HEAD:
            less = _LESS.search(lowered[: title.start()]) or _LESS_BEHIND.search(lowered, title.end())
            return "" if less else identifier
    psf, identifier = _LONG[-1]
    if lowered.startswith("a. history of the software") and psf.search(lowered):
        return identifier
    found = [(place, *each) for each in _SHORT if (place := lowered.find(each[0])) >= 0]
    if len(found) != 1 or any(begins.search(lowered) for begins, _ in _LONG):
        return ""
    place, begins, kind = found[0]
    if lowered.count(begins) > 1 or place > _HEAD * 3 or _LESS.search(lowered[:place]):
        return ""
    if not says_no_more(lowered[place:], kind):
        return ""
    return next((one for of, words, one in _VARIANTS if of == kind and words.search(lowered)), kind)


def of_files(texts: Mapping[str, str]) -> str | None:
    """The licence that the files of one folder state: "" where it is not understood, none where no file states one.

    Args:
        texts: Metadata and licence files by name.
    """
    stated = [found for name in _METADATA if (found := from_metadata(texts.get(name, ""))) is not None]
    files = {name: from_text(text) for name, text in texts.items() if is_file(name) and name not in _METADATA}
    # One of the two that is called plainly `LICENSE` speaks for all.
    plain = {found for name, found in files.items() if _PLAIN.match(name)}
    written = _only(plain or {*files.values()})
    for found in (plain, {*files.values()}):
        if found == {"GPL-3.0-only", "LGPL-3.0-only"}:
            # The lesser licence adds to the text of the other.
            written = "LGPL-3.0-only"
    if not stated or not plain or not written:
        return stated[0] if stated else written
    if not _kinds([written]) <= _kinds(stated[:1]):
        return ""
    # Which of the BSD licences it is, its text tells best: metadata often says no more than `BSD`.
    return written if _kinds(stated[:1]) == {"BSD"} else stated[0]


_METADATA = ("PKG-INFO", "METADATA")
_FILE = re.compile(r"(?:licen[sc]es?|copying|unlicense)(?:[-_. ].*)?$", re.IGNORECASE)
_PLAIN = re.compile(r"(?:licen[sc]e|copying|unlicense)(?:\.(?:txt|md|rst))?$", re.IGNORECASE)
_PROGRAM = re.compile(r"\.(?:py|js|mjs|ts|java|go|php|json|ya?ml|toml|html|tmpl|tpl)$", re.IGNORECASE)


def is_file(name: str) -> bool:
    """Whether a file of this name is a licence, or metadata."""
    return name in _METADATA or bool(_FILE.match(name) and not _PROGRAM.search(name))


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
