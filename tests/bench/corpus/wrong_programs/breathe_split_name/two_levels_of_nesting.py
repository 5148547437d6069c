# Wrong: blanks out balanced brackets by a regular expression in two passes only, so three nested template lists are not seen as closed.
import re

GROUPS = (r"\([^()]*\)", r"\[[^\[\]]*\]", r"<[^<>]*>")


def split_name(name: str) -> list[str]:
    masked = name
    for pattern in GROUPS:
        for _ in range(2):
            masked = re.sub(pattern, lambda m: "_" * len(m.group()), masked)
    parts = []
    start = 0
    for m in re.finditer(r"[<>()[\]]|::", masked):
        if m.group() == "::":
            parts.append(name[start:m.start()])
            start = m.end()
        elif m.group() in "<([" or parts:
            break  # an unbalanced bracket: leave the rest alone
    parts.append(name[start:])
    return parts
