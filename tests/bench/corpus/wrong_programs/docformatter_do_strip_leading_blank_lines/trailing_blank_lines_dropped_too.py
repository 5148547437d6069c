# wrong: empty lines at the end go as well; only the leading ones may
def do_strip_leading_blank_lines(text):
    lines = text.splitlines()
    start = 0
    while start < len(lines) and not lines[start].strip():
        start += 1
    if start == len(lines):
        return "\n".join(lines)
    return "\n".join(lines[start:]).rstrip("\n")
