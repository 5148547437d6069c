# only the plus sign is allowed before the offset
import re


def is_ocean_timezone(timezone_name):
    if not isinstance(timezone_name, str):
        raise TypeError("timezone_name must be a string")
    return re.fullmatch(r"Etc/GMT\+?\d*", timezone_name) is not None
