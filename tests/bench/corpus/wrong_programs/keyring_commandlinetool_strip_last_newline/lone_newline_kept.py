# Wrong: a text that is nothing but one newline is returned as it is.
def strip_last_newline(str: str) -> str:
    if len(str) > 1 and str[-1] == "\n":
        return str[:-1]
    return str
