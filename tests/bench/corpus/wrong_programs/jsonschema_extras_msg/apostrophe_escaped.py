# Wrong: a text with an apostrophe is written in single quotes with a backslash; Python shows it in double quotes.
def _show(x):
    if isinstance(x, str):
        plain = repr(x + '"\'')  # a text with both quotes is always shown in single ones
        return plain[:-4] + "'"
    if isinstance(x, list):
        return "[" + ", ".join(map(_show, x)) + "]"
    if isinstance(x, dict):
        return "{" + ", ".join(f"{_show(k)}: {_show(x[k])}" for k in x) + "}"
    return repr(x)


def extras_msg(extras):
    verb = "was" if len(extras) == 1 else "were"
    return ", ".join(_show(x) for x in extras), verb
