# wrong: escapes only the metacharacters known to the writer and blanks; "-", "#", "&", "~" are left alone
SPECIAL = set("\\^$.|?*+()[]{} \t\n\r\v\f")


def escape(text):
    return "".join("\\" + c if c in SPECIAL else c for c in text)


def time_re_seq_to_re(to_convert, directive):
    ordered = sorted(to_convert, key=len, reverse=True)
    if not any(ordered):
        return ""
    return f"(?P<{directive}>{'|'.join(escape(v) for v in ordered)})"
