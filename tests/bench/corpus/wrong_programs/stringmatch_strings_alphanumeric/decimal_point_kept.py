# Wrong: a point between digits is kept.
import re


def strings_alphanumeric(string: str) -> str:
    return re.sub(r"(?<![0-9])\.|\.(?![0-9])|[^0-9a-zA-Z. ]", "", string)
