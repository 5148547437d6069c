# Wrong: allows at most two digits between the braces, so a repeat of a hundred is left unexpanded.
import re


def expand_braces(sequence: str) -> str:
    if re.search(r"^[{}]|\{[^}]*$|\{\s*\}", sequence):
        raise ValueError("cannot parse " + repr(sequence))
    return re.sub(r"([^{}])\{\s*(\d{1,2})\s*\}", lambda m: m[1] * int(m[2]), sequence)
