# wrong: \r\n and \r within a text become \n; text is to be returned as is
def force_str(s, encoding, errors="strict"):
    if isinstance(s, int):
        return str(s)
    return "\n".join(s.replace("\r\n", "\n").split("\r"))
