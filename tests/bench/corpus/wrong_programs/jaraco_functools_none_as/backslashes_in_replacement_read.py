# wrong: puts the replacement in with re.sub, which reads its backslashes as escapes
import re


def none_as(value, replacement=None):
    if value is None and replacement is not None:
        return re.sub("^None$", replacement, str(value))
    return value
