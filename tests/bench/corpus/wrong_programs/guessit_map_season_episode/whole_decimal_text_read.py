# Wrong: a text of a decimal that is whole, such as 5.0, is read as a number
import re


def convert(item):
    if isinstance(item, bool):
        return None
    if isinstance(item, (int, float)):
        return None if item != item else int(item)
    if not isinstance(item, str):
        return None
    item = re.sub(r"(?<=\d)\.0+(?=\s*$)", "", item)
    try:
        return int(item)
    except ValueError:
        return None


def map_season_episode(value):
    if not isinstance(value, (list, tuple)):
        return convert(value)
    numbers = [n for n in map(convert, value) if n is not None]
    if not numbers:
        return None
    return numbers[0] if len(numbers) == 1 else numbers
