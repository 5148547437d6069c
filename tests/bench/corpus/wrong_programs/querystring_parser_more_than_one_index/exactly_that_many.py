# Wrong: the number of sets has to be equal, not at least as large.
import re


def more_than_one_index(s: str, brackets: int = 2) -> bool:
    if brackets <= 0:
        return True
    return len(re.findall(r"\[[^\]]*\]", s)) == brackets
