# Wrong: proper nouns (NNP) are not lower-cased
def parser_find_lemmata(tokens: list[list[str]]) -> list[list[str]]:
    out = []
    for token in tokens:
        word = token[0]
        out.append(list(token) + [(word if len(token) > 1 and token[1].startswith("NNP") else word.lower())])
    return out
