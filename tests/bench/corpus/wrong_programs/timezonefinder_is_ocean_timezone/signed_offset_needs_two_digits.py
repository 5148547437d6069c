# the pattern ±XX is read as a sign and exactly two digits, so offsets of one digit fail
import re


def is_ocean_timezone(timezone_name):
    if not isinstance(timezone_name, str):
        raise TypeError("timezone_name must be a string")
    return re.fullmatch(r"Etc/GMT(\d*|[+-]\d\d)", timezone_name) is not None
