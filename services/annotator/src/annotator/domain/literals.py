"""Literals and tokens of any of the languages, found in foreign text in proportionate time."""

from __future__ import annotations

import re


def quoted(sign: str, also: str = "") -> str:
    """A literal between two signs, with escapes; what is tried once is not tried anew, however often it begins."""
    plain = rf"[^{sign}\\{also}]*+"
    return rf"{sign}{plain}(?:\\.{plain}){{0,2000}}+{sign}"


TOKEN = re.compile("|".join((r"[A-Za-z_$][\w$]*", r"\d[\w.]*", quoted('"'), quoted("'"), r"\S")))
