"""Which licence a source is under, as an SPDX identifier, from its metadata or its licence file."""

from __future__ import annotations

import re
from collections.abc import Iterable

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

# Words that stand in the text of exactly one licence; the first that fits decides.
_TEXTS: tuple[tuple[str, str], ...] = (
    ("GNU AFFERO GENERAL PUBLIC LICENSE Version 3", "AGPL-3.0-only"),
    ("GNU LESSER GENERAL PUBLIC LICENSE Version 3", "LGPL-3.0-only"),
    ("GNU GENERAL PUBLIC LICENSE Version 3", "GPL-3.0-only"),
    ("GNU GENERAL PUBLIC LICENSE Version 2", "GPL-2.0-only"),
    ("Mozilla Public License Version 2.0", "MPL-2.0"),
    ("Apache License Version 2.0", "Apache-2.0"),
    ("PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2", "PSF-2.0"),
    ("This is free and unencumbered software released into the public domain", "Unlicense"),
    ("Permission is hereby granted, free of charge, to any person obtaining a copy", "MIT"),
    ("Permission to use, copy, modify, and/or distribute this software for any purpose", "ISC"),
    ("Permission to use, copy, modify, and distribute this software for any purpose", "ISC"),
)
_NEITHER_NAME = re.compile(r"neither the name|names? of .{0,80} may (?:not )?be used", re.IGNORECASE)
_EXPRESSION = re.compile(r"^[A-Za-z0-9.+-]+(?: (?:AND|OR|WITH) [A-Za-z0-9.+-]+)*$")


def from_metadata(metadata: str) -> str:
    """The licence that core metadata (PKG-INFO) declares, or "".

    Args:
        metadata: Text of a PKG-INFO or METADATA file.

    Example:
        >>> from_metadata("Name: x\\nLicense-Expression: MIT OR Apache-2.0\\n")
        'MIT OR Apache-2.0'
        >>> from_metadata("Classifier: License :: OSI Approved :: BSD License\\n")
        'BSD-3-Clause'
    """
    fields: dict[str, list[str]] = {}
    for line in metadata.split("\n\n", 1)[0].splitlines():
        name, colon, value = line.partition(":")
        if colon and not line.startswith((" ", "\t")):
            fields.setdefault(name.strip().lower(), []).append(value.strip())
    for expression in fields.get("license-expression", []):
        if _EXPRESSION.match(expression):
            return expression
    for classifier in fields.get("classifier", []):
        if classifier.startswith("License :: "):
            named = _NAMES.get(classifier.rsplit(" :: ", 1)[1].lower())
            if named:
                return named
    for words in fields.get("license", []):
        if named := _NAMES.get(words.lower()):
            return named
    return ""


def from_text(text: str) -> str:
    """The licence whose words a licence file holds, or "".

    Example:
        >>> from_text("Permission is hereby granted, free of charge, to any person obtaining a copy of")
        'MIT'
    """
    flat = " ".join(text.split())
    lowered = flat.lower()
    for words, identifier in _TEXTS:
        if words.lower() in lowered:
            return identifier
    if "redistribution and use in source and binary forms" in lowered:
        return "BSD-3-Clause" if _NEITHER_NAME.search(flat) else "BSD-2-Clause"
    return ""


def allowed(licence: str, allow_list: Iterable[str]) -> bool:
    """Whether a licence expression can be satisfied from an allow-list; an empty list allows everything.

    `A OR B` needs one of the two, `A AND B` both; an exception (`A WITH E`) counts as its licence.

    Example:
        >>> allowed("MIT OR GPL-3.0-only", ["MIT"]), allowed("MIT AND GPL-3.0-only", ["MIT"]), allowed("", ["MIT"])
        (True, False, False)
    """
    names = set(allow_list)
    if not names:
        return True
    return any(
        all(part.split(" WITH ")[0].strip("() ") in names for part in choice.split(" AND "))
        for choice in licence.split(" OR ")
    )
