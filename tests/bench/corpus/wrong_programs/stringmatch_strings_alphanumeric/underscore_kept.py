# Wrong: the underscore is kept, as it belongs to \w.
import re


def strings_alphanumeric(string: str) -> str:
    return re.sub(r"[^\w ]", "", string, flags=re.ASCII)
