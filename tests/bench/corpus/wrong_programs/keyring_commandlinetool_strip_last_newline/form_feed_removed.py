# Wrong: any line break of Unicode at the end is removed (form feed, vertical tab, U+2028 and so on), not a newline only.
_LINE_BREAKS = "\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"


def strip_last_newline(str: str) -> str:
    if str and str[-1] in _LINE_BREAKS:
        return str[:-1]
    return str
