# Wrong: a ">" in a quoted attribute does not end a tag; by the expression that is given the first ">" does.
import re

_TOKEN = re.compile(
    r"""([^<]*)(<!--.*?--\s*>|<(?:"[^"]*"|'[^']*'|[^'">])*>|<[^>]*>)""", re.S
)


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
