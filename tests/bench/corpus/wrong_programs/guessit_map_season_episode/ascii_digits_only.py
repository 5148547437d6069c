# Wrong: only the digits 0 to 9 of a text count, those of other scripts do not
import re


def convert(item):
    if isinstance(item, bool):
        return None
    if isinstance(item, (int, float)):
        return None if item != item else int(item)
    if not isinstance(item, str):
        return None
    item = item.strip()
    return int(item) if re.fullmatch(r"[+-]?[0-9]+(_[0-9]+)*", item) else None


def map_season_episode(value):
    if not isinstance(value, (list, tuple)):
        return convert(value)
    numbers = [n for n in map(convert, value) if n is not None]
    if not numbers:
        return None
    return numbers[0] if len(numbers) == 1 else numbers
