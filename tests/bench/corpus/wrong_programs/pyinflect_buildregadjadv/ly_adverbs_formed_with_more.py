# Wrong: adverbs in "ly" are formed with "more" and "most" although the rules for adverbs are the same.
import re


def buildRegAdjAdv(base: str) -> list[str]:
    base = base.lower()
    if base.endswith("ly") and len(base) > 4:
        return ("more " + base, "most " + base)
    if re.search(r"[^aeiou]y$", base):
        return (base[:-1] + "ier", base[:-1] + "iest")
    if re.search(r"[^aeiou]e$", base):
        return (base + "r", base + "st")
    return (base + "er", base + "est")
