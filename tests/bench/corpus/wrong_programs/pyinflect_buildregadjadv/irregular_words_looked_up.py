# Wrong: gives the irregular forms of a few words although the function builds the regular ones for any base.
import re

_IRREGULAR = {
    "good": ("better", "best"),
    "well": ("better", "best"),
    "bad": ("worse", "worst"),
    "far": ("farther", "farthest"),
    "little": ("less", "least"),
    "much": ("more", "most"),
    "many": ("more", "most"),
}


def buildRegAdjAdv(base: str) -> list[str]:
    base = base.lower()
    if base in _IRREGULAR:
        return _IRREGULAR[base]
    if re.search(r"[^aeiou]y$", base):
        return (base[:-1] + "ier", base[:-1] + "iest")
    if re.search(r"[^aeiou]e$", base):
        return (base + "r", base + "st")
    return (base + "er", base + "est")
