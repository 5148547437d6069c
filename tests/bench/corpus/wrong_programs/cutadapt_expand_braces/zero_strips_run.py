# Wrong: for n = 0 strips the whole run of the character before the braces, not the one character.
import re


def expand_braces(sequence: str) -> str:
    tokens = re.split(r"([{}])", sequence)
    result = []
    i = 0
    while i < len(tokens):
        text = tokens[i]
        if text in ("{", "}"):
            raise ValueError("unexpected brace")
        if i + 1 < len(tokens):
            if tokens[i + 1] != "{" or not text or i + 3 >= len(tokens) or tokens[i + 3] != "}":
                raise ValueError("expected x{n}")
            n = int(tokens[i + 2])
            if n == 0:
                text = text.rstrip(text[-1])
            else:
                text += text[-1] * (n - 1)
            i += 2
        result.append(text)
        i += 2
    return "".join(result)
