# Wrong: line ends within the text (\r\n) are turned into \n on the way.
def strip_last_newline(str: str) -> str:
    text = str.replace("\r\n", "\n")
    if text.endswith("\n"):
        return text[:-1]
    return text
