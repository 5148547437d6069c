# wrong: looks for the delimiter at the end of the key only
def flat_dict_has_delimiter(delimiter: str, key: int | str | None) -> bool:
    return isinstance(key, str) and key.endswith(delimiter)
