# wrong: the delimiter is taken as a regular expression
import re


def flat_dict_has_delimiter(delimiter: str, key: int | str | None) -> bool:
    return isinstance(key, str) and re.search(delimiter, key) is not None
