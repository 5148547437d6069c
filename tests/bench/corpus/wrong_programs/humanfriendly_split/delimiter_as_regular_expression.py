# wrong: the delimiter is used as a regular expression without being escaped
import re


def split(text: str, delimiter: str = ',') -> list[str]:
    return [t.strip() for t in re.split(delimiter, text) if t and not t.isspace()]
