# Wrong: "**" is special only as the first or the last segment; between two others it is read as two single stars.
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
            start = i + 1 if seg[i:i + 1] == "!" else i
            end = seg.find("]", start + 1)
            if end < 0:
                out += "\\["
            else:
                body = seg[i:end].replace("\\", "\\\\")
                out += "[" + ("^" + body[1:] if body[0] == "!" else body) + "]"
                i = end + 1
        else:
            out += re.escape(c)
    return out


def glob_to_regex(pattern):
    head = tail = ""
    if pattern == "**":
        return "(?s:(?!\\.)[^/]+(?:/(?!\\.)[^/]+)*)\\Z"
    if pattern.startswith("**/"):
        head = "(?:(?!\\.)[^/]+/)*"
        pattern = pattern[3:]
    if pattern.endswith("/**"):
        tail = "/(?!\\.)[^/]+(?:/(?!\\.)[^/]+)*"
        pattern = pattern[:-3]
    return "(?s:" + head + "/".join(_segment(s) for s in pattern.split("/")) + tail + ")\\Z"
