# Wrong: passes re.IGNORECASE as the fourth argument of re.sub, which is the count (2), so a third expression stays as it is.
import re


def expand_braces(sequence: str) -> str:
    result = re.sub(
        r"([^{}])\{\s*(\d+)\s*\}",
        lambda m: m.group(1) * int(m.group(2)),
        sequence,
        re.IGNORECASE,
    )
    if sequence.count("{") != sequence.count("}"):
        raise ValueError("unbalanced braces")
    return result
