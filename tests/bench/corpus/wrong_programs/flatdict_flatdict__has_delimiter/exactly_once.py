# wrong: true only if the delimiter occurs exactly once
def flat_dict_has_delimiter(delimiter: str, key: int | str | None) -> bool:
    if not isinstance(key, str):
        return False
    return key.count(delimiter) == 1
