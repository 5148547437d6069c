# Wrong: expands letters, digits and underscores only; x is any character.
import re


def expand_braces(sequence: str) -> str:
    if sequence.startswith(("{", "}")) or sequence.count("{") != sequence.count("}"):
        raise ValueError("expression cannot be parsed")

    def repeat(match):
        return match.group(1) * int(match.group(2))

    return re.sub(r"(\w)\{([^{}]*)\}", repeat, sequence)
