# WRONG: a prompt in the middle of a line is not seen
def _skip(line):
    s = line.strip()
    if not s.startswith(">>>") or s == ">>>" or s.startswith(">>> #") or "+SKIP" in s:
        return line
    if "# doctest:" in line:
        return line + ", +SKIP"
    return line + "  # doctest: +SKIP"


def skip_doctest(doc):
    if doc is None:
        return ""
    return "\n".join(_skip(line) for line in doc.split("\n"))
