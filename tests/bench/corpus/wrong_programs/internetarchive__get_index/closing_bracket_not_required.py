# WRONG: only looks for digits after an opening bracket, not for the closing bracket right after them.

import re


def get_index(key):
    match = re.search(r"\[(\d+)", key)
    return int(match.group(1)) if match else None
