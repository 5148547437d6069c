# wrong: what stands after the last break is left out when it is only white space

def wrap_css_lines(css: str, line_length: int) -> str:
    lines = []
    start = 0
    for i, ch in enumerate(css):
        if ch == "}" and i - start >= line_length:
            lines.append(css[start:i + 1])
            start = i + 1
    rest = css[start:]
    if not lines:
        return css
    if rest.strip():
        lines.append(rest)
    return "\n".join(lines)
