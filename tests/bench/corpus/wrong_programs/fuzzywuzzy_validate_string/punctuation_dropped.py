# wrong: drops punctuation before it measures the text
import re


def validate_string(s: int | str) -> bool:
    if not isinstance(s, str):
        return False
    return len(re.sub(r"[^\w\s]", "", s)) > 0
