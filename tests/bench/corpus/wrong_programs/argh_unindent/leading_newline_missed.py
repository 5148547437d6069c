# wrong: the indentation is looked for only at the very start, not after a leading line break
import re


def unindent(text):
    depth = len(text) - len(text.lstrip(" "))
    if not depth:
        return text
    prefix = " " * depth
    lines = text.split("\n")
    return "\n".join(
        line[depth:] if line.startswith(prefix) else line for line in lines
    )
