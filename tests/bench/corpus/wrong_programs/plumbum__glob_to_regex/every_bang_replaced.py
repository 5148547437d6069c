# Wrong: every "!" inside of brackets becomes "^", not only the first character.
import re


def _segment(seg):
    out = "(?!\\.)" if seg[:1] in ("*", "?", "[") else ""
    i = 0
    while i < len(seg):
        c = seg[i]
        i += 1
        if c == "*":
            out += "[^/]*"
        elif c == "?":
            out += "[^/]"
        elif c == "[":
            end = seg.find("]", i + (2 if seg[i:i + 1] == "!" else 1))
            if end < 0:
                out += "\\["
            else:
                body = seg[i:end].replace("\\", "\\\\")
                body = body.replace("!", "^")
                out += "[" + body + "]"
                i = end + 1
        else:
            out += re.escape(c)
    return out


def glob_to_regex(pattern):
    segments = pattern.split("/")
    out = ""
    for n, seg in enumerate(segments):
        last = n == len(segments) - 1
        if seg == "**":
            out += "(?!\\.)[^/]+(?:/(?!\\.)[^/]+)*" if last else "(?:(?!\\.)[^/]+/)*"
        else:
            out += _segment(seg) + ("" if last else "/")
    return "(?s:" + out + ")\\Z"
