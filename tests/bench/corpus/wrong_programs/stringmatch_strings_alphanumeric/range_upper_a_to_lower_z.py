# Wrong: the range A-z also keeps the characters between Z and a.
import re


def strings_alphanumeric(string: str) -> str:
    return re.sub(r"[^0-9A-z ]", "", string)
