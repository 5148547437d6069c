# Wrong: only backslash, quote and line ends are escaped; other unprintable characters stay raw.
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _text(s):
    quote = '"' if "'" in s and '"' not in s else "'"
    body = "".join(_ESCAPES.get(c, "\\'" if c == quote else c) for c in s)
    return quote + body + quote


def _show(x):
    if isinstance(x, str):
        return _text(x)
    if isinstance(x, (list, tuple)):
        return "[" + ", ".join(map(_show, x)) + "]"
    if isinstance(x, dict):
        return "{" + ", ".join(f"{_show(k)}: {_show(v)}" for k, v in x.items()) + "}"
    return str(x)


def extras_msg(extras):
    return ", ".join(map(_show, extras)), "was" if len(extras) == 1 else "were"
