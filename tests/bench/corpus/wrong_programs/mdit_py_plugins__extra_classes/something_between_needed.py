# wrong: wants something between the question mark and the plus sign
import re


def extra_classes(markup: str) -> list[str]:
    if re.fullmatch(r"\?.+\+", markup, re.DOTALL):
        return ["is-collapsible collapsible-open"]
    if markup[:1] == "?":
        return ["is-collapsible collapsible-closed"]
    return []
