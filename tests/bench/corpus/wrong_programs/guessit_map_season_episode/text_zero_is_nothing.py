# Wrong: a text of zero gives nothing, as the number is tested for truth
def convert(item):
    if isinstance(item, bool):
        return None
    if isinstance(item, (int, float)):
        return None if item != item else int(item)
    if not isinstance(item, str):
        return None
    try:
        return int(item) or None
    except ValueError:
        return None


def map_season_episode(value):
    if not isinstance(value, (list, tuple)):
        return convert(value)
    numbers = [n for n in map(convert, value) if n is not None]
    if not numbers:
        return None
    return numbers[0] if len(numbers) == 1 else numbers
