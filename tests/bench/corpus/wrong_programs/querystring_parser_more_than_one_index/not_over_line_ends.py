# Wrong: the dot of the pattern matches no end of line, so an index with one is not seen.
import re


def more_than_one_index(s: str, brackets: int = 2) -> bool:
    return len(re.findall(r"\[.*?\]", s)) >= brackets
