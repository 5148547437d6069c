# WRONG: a prompt that holds only a comment gets the mark
def _skip(line):
    s = line.strip()
    if ">>>" not in s or s == ">>>" or "+SKIP" in s:
        return line
    if "# doctest:" in line:
        return line + ", +SKIP"
    return line + "  # doctest: +SKIP"


def skip_doctest(doc):
    if doc is None:
        return ""
    return "\n".join(_skip(line) for line in doc.split("\n"))
