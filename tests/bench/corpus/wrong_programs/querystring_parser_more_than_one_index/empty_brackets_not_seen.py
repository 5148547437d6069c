# Wrong: the pattern demands something between the brackets.
import re


def more_than_one_index(s: str, brackets: int = 2) -> bool:
    found = re.findall(r"\[[^\]]+\]", s)
    return len(found) >= brackets
