# wrong: the names are compared case-folded, so that a sharp s counts as two characters
import re


def time_re_seq_to_re(to_convert, directive):
    ordered = sorted(to_convert, key=lambda v: -len(v.casefold()))
    if not "".join(ordered):
        return ""
    return f"(?P<{directive}>" + "|".join(map(re.escape, ordered)) + ")"
