# wrong: off by one from the second line on: the position of the brace that ended the line before is taken as the start

def wrap_css_lines(css: str, line_length: int) -> str:
    lines = []
    start = 0
    last_break = 0
    for i, ch in enumerate(css):
        if ch == "}" and i - last_break >= line_length:
            lines.append(css[start:i + 1])
            start = i + 1
            last_break = i
    if start < len(css):
        lines.append(css[start:])
    return "\n".join(lines)
