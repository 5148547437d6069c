# Wrong: takes exactly three characters off the end of a comment, so more hyphens or blanks before ">" count as its text.
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
            if "--" in tag[4:-3]:
                kind = "text"
        tokens.append([kind, tag])
        pos = m.end()
    if pos < len(text):
        tokens.append(["text", text[pos:]])
    return tokens
