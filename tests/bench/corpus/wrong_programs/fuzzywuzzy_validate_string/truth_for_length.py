# wrong: takes the truth of the value, so integers but zero count as texts
def validate_string(s: int | str) -> bool:
    return bool(s)
