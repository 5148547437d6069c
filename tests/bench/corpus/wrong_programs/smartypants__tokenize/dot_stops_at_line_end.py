# Wrong: "." does not match the end of a line, so that a comment of several lines ends at its first ">".
import re

_TOKEN = re.compile(r"([^<]*)(<!--.*?--\s*>|<[^>]*>)")


def tokenize(text):
    tokens = []
    pos = 0
    while True:
        m = _TOKEN.match(text, pos)
        if m is None:
            break
        if m.group(1):
            tokens.append(["text", m.group(1)])
        tag = m.group(2)
        kind = "tag"
        if tag.startswith("<!--"):
            inner = tag[4:].rstrip(">").rstrip().rstrip("-")
            if "--" in inner:
                kind = "text"
        tokens.append([kind, tag])
        pos = m.end()
    if pos < len(text):
        tokens.append(["text", text[pos:]])
    return tokens
