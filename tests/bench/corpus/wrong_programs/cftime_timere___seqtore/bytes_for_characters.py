# wrong: lengths are taken in UTF-8 bytes, so accented names move before equally long ones
import re


def time_re_seq_to_re(to_convert, directive):
    ordered = sorted(to_convert, key=lambda v: len(v.encode("utf-8")), reverse=True)
    if all(v == "" for v in ordered):
        return ""
    return "(?P<%s>" % (directive,) + "|".join(re.escape(v) for v in ordered) + ")"
