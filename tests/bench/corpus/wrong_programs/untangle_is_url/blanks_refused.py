# a URL with blanks in it is refused
def is_url(string: float | str) -> bool:
    if not isinstance(string, str):
        return False
    return string.startswith(("http://", "https://")) and len(string.split()) == 1
