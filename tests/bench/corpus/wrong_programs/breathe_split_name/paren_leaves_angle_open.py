# Wrong: a closing parenthesis does not discard a "<" left open inside it (the less-than operator), so the stack never empties.
import re

PAIRS = {")": "(", "]": "[", ">": "<"}


def split_name(name: str) -> list[str]:
    parts = []
    current = ""
    stack = []
    stray = False
    for token in re.split(r"([<>()[\]]|::)", name):
        if token in ("<", "(", "["):
            stack.append(token)
        elif token in PAIRS:
            if stack and stack[-1] == PAIRS[token]:
                stack.pop()
            elif not stack and parts:
                stray = True
        elif token == "::" and not stack and not stray:
            parts.append(current)
            current = ""
            continue
        current += token
    parts.append(current)
    return parts
