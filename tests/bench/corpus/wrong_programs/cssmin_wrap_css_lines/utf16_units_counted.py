# wrong: lengths are counted in UTF-16 units, so a character beyond 16 bits counts as two

def wrap_css_lines(css: str, line_length: int) -> str:
    out = []
    count = 0
    for i, ch in enumerate(css):
        out.append(ch)
        if ch == "}" and count >= line_length:
            if i + 1 < len(css):
                out.append("\n")
            count = 0
        else:
            count += 2 if ord(ch) > 0xFFFF else 1
    return "".join(out)
