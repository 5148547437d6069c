# wrong: for a blank delimiter calls str.split() without one, which splits at all white space


def split(text: str, delimiter: str = ',') -> list[str]:
    if delimiter.isspace():
        return text.split()
    return [token.strip() for token in text.split(delimiter) if token.strip()]
