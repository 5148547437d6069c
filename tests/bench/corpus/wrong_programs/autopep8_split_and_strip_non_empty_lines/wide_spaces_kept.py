# Wrong: only ASCII blanks and the no-break space are stripped, other Unicode blanks (U+3000, U+2003 and so on) stay.
_BLANKS = " \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0\u2028\u2029"


def split_and_strip_non_empty_lines(text: str) -> list[str]:
    lines = []
    for line in text.splitlines():
        line = line.strip(_BLANKS)
        if line:
            lines.append(line)
    return lines
