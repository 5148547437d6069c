# Wrong: int(text, 0): leading zeros are refused and 0x is read
def list_numbering_start(attrs: dict[str, str | None]) -> int:
    if "start" not in attrs:
        return 0
    try:
        return int(attrs["start"], 0) - 1
    except ValueError:
        return 0
