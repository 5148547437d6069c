# WRONG: one blank before the comment instead of two
def _skip(line):
    s = line.strip()
    if ">>>" not in s or s == ">>>" or s.startswith(">>> #") or "+SKIP" in s:
        return line
    if "# doctest:" in line:
        return line + ", +SKIP"
    return line + " # doctest: +SKIP"


def skip_doctest(doc):
    if doc is None:
        return ""
    return "\n".join(_skip(line) for line in doc.split("\n"))
