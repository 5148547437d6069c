# only ASCII may follow the scheme
def is_url(string: float | str) -> bool:
    if not isinstance(string, str):
        return False
    return string.startswith(("http://", "https://")) and string.isascii()
