# WRONG: allows white space between the brackets and the digits.

import re


def get_index(key):
    match = re.search(r"\[\s*(\d+)\s*\]", key)
    return int(match.group(1)) if match else None
