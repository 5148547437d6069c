# WRONG: looks at the first bracketed word only; if that is no number, a later bracketed number is not found.
import re


def get_index(key):
    match = re.search(r"\[(\w+)\]", key)
    if match and match.group(1).isdecimal():
        return int(match.group(1))
    return None
