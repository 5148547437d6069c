# Wrong: one depth counter for all bracket kinds, so a ">" that is an operator inside parentheses closes the template list.
import re


def split_name(name: str) -> list[str]:
    parts = []
    current = ""
    depth = 0
    for token in re.split(r"([<>()[\]]|::)", name):
        if token == "::" and (depth == 0 or (depth < 0 and not parts)):
            parts.append(current)
            current = ""
            continue
        if token in ("<", "(", "["):
            depth += 1
        elif token in (">", ")", "]"):
            depth -= 1
        current += token
    parts.append(current)
    return parts
