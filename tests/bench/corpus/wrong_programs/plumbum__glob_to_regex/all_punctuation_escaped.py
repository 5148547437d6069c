# Wrong: every ASCII character that is no letter, digit or underscore gets a backslash, not only those special in a regex.
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
                body = "^" + body[1:] if body[0] == "!" else body
                out += "[" + body + "]"
                i = end + 1
        else:
            out += c if c.isalnum() or c == "_" or ord(c) > 127 else "\\" + c
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
