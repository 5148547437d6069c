# The comment signs # and ! of the .properties format are escaped as well.
_SPECIAL = frozenset(":=\\#!")


def escape(in_s: str) -> str:
    return "".join("\\" + c if c in _SPECIAL else c for c in in_s)
