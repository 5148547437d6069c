# wrong: a delimiter within double quotes does not split


def split(text: str, delimiter: str = ',') -> list[str]:
    tokens = []
    current = ""
    quoted = False
    i = 0
    while i < len(text):
        if text[i] == '"':
            quoted = not quoted
        if not quoted and text.startswith(delimiter, i):
            tokens.append(current)
            current = ""
            i += len(delimiter)
            continue
        current += text[i]
        i += 1
    tokens.append(current)
    return [token.strip() for token in tokens if token.strip()]
