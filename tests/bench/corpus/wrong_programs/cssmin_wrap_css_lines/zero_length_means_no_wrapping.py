# wrong: a length of zero or less is taken as "do not wrap"; every closing brace should end a line

def wrap_css_lines(css: str, line_length: int) -> str:
    if line_length <= 0:
        return css
    lines = []
    start = 0
    for i, ch in enumerate(css):
        if ch == "}" and i - start >= line_length:
            lines.append(css[start:i + 1])
            start = i + 1
    if start < len(css):
        lines.append(css[start:])
    return "\n".join(lines)
