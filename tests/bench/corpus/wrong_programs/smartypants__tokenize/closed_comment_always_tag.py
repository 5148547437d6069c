# Wrong: a comment that is closed is a tag also where it has "--" inside; only unclosed ones are looked into.
import re

_TOKEN = re.compile(r"([^<]*)(<!--.*?--\s*>|<[^>]*>)", re.S)


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
            closed = re.fullmatch(r"<!--.*?--\s*>", tag, re.S)
            if not closed and "--" in tag[4:]:
                kind = "text"
        tokens.append([kind, tag])
        pos = m.end()
    if pos < len(text):
        tokens.append(["text", text[pos:]])
    return tokens
