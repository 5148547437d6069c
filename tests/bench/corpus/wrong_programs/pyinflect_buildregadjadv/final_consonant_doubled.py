# Wrong: doubles the last consonant after a single short vowel; the regular rule only appends the endings.
import re


def buildRegAdjAdv(base: str) -> list[str]:
    base = base.lower()
    if re.search(r"[^aeiou]y$", base):
        return (base[:-1] + "ier", base[:-1] + "iest")
    if re.search(r"[^aeiou]e$", base):
        return (base + "r", base + "st")
    if re.search(r"(?:^|[^aeiou])[aeiou][bdgmnprt]$", base):
        base = base + base[-1]
    return (base + "er", base + "est")
