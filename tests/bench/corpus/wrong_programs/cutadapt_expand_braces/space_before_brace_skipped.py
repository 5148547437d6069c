# Wrong: allows blanks between the character and the brace and repeats the character before them; x is the character right before the brace.
import re


def expand_braces(sequence: str) -> str:
    if re.match(r"\s*[{}]", sequence):
        raise ValueError("nothing to repeat")
    return re.sub(
        r"([^\s{}])\s*\{\s*(\d+)\s*\}",
        lambda m: m.group(1) * int(m.group(2)),
        sequence,
    )
