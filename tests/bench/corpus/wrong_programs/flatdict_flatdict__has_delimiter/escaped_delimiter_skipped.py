# wrong: a delimiter after a backslash does not count
import re


def flat_dict_has_delimiter(delimiter: str, key: int | str | None) -> bool:
    if not isinstance(key, str):
        return False
    return bool(re.search(r"(?<!\\)" + re.escape(delimiter), key))
