# WRONG: only looks for digits before a closing bracket, not for the opening bracket right before them.

import re


def get_index(key):
    match = re.search(r"(\d+)\]", key)
    return int(match.group(1)) if match else None
