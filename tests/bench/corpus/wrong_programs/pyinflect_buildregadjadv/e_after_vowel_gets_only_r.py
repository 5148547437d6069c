# Wrong: every base ending in "e" gets only "r" and "st", also when a vowel stands before the "e".
import re


def buildRegAdjAdv(base: str) -> list[str]:
    base = base.lower()
    if re.search(r"[^aeiou]y$", base):
        return (base[:-1] + "ier", base[:-1] + "iest")
    if re.search(r"e$", base):
        return (base + "r", base + "st")
    return (base + "er", base + "est")
