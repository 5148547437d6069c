# WRONG: also takes a negative number in brackets as an index.

import re


def get_index(key):
    match = re.search(r"\[(-?\d+)\]", key)
    return int(match.group(1)) if match else None
