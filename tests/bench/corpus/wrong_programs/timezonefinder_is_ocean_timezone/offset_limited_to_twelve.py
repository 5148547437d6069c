# offsets are limited to 12 on both sides, though the zones go to Etc/GMT-14
import re


def is_ocean_timezone(timezone_name):
    if not isinstance(timezone_name, str):
        raise TypeError("timezone_name must be a string")
    match = re.fullmatch(r"Etc/GMT([+-]?\d{1,2})?", timezone_name)
    if match is None:
        return False
    return abs(int(match.group(1) or 0)) <= 12
