# matched at the start of any line
import re
def is_url(string: float | str) -> bool:
    if not isinstance(string, str):
        return False
    return re.search(r"^https?://", string, re.M) is not None
