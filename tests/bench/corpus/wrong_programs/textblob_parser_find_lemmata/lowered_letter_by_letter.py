# Wrong: each letter is lower-cased alone, so the final sigma is missed
def parser_find_lemmata(tokens: list[list[str]]) -> list[list[str]]:
    out = []
    for token in tokens:
        word = token[0]
        out.append(list(token) + ["".join(c.lower() for c in word)])
    return out
