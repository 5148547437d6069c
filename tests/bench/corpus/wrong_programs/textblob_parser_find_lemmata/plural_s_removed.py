# Wrong: the s of plural nouns (NNS) is removed
def parser_find_lemmata(tokens: list[list[str]]) -> list[list[str]]:
    out = []
    for token in tokens:
        word = token[0]
        out.append(list(token) + [(word.lower()[:-1] if len(token) > 1 and token[1] == "NNS" and word.lower().endswith("s") else word.lower())])
    return out
