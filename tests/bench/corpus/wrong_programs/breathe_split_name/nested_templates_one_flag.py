# Wrong: remembers only whether a template list is open, not how deep, so the first ">" ends nested lists.
import re


def split_name(name: str) -> list[str]:
    parts = []
    current = ""
    parens = 0
    squares = 0
    in_template = False
    stray = False
    for token in re.split(r"([<>()[\]]|::)", name):
        if token == "(":
            parens += 1
        elif token == ")":
            if parens:
                parens -= 1
            elif parts:
                stray = True
        elif token == "[":
            squares += 1
        elif token == "]":
            squares = max(0, squares - 1)
        elif token == "<" and not parens:
            in_template = True
        elif token == ">" and not parens:
            in_template = False
        elif token == "::" and not (parens or squares or in_template or stray):
            parts.append(current)
            current = ""
            continue
        current += token
    parts.append(current)
    return parts
