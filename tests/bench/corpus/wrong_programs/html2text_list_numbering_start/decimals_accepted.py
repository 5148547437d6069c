# Wrong: goes through float, so that decimals count as numbers
def list_numbering_start(attrs: dict[str, str | None]) -> int:
    try:
        return int(float(attrs["start"])) - 1
    except (KeyError, ValueError):
        return 0
