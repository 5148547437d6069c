# wrong: integers are formatted with %g, which keeps six digits only
def force_str(s, encoding, errors="strict"):
    if isinstance(s, str):
        return s
    return "%g" % s
