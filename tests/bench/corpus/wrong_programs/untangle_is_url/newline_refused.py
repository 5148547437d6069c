# a text with a line end is refused (dot does not match it)
import re
def is_url(string: float | str) -> bool:
    if not isinstance(string, str):
        return False
    return re.fullmatch(r"https?://.*", string) is not None
