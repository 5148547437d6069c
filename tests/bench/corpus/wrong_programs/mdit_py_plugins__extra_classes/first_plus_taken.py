# wrong: asks whether the first plus sign is the last character
def extra_classes(markup: str) -> list[str]:
    if not markup.startswith("?"):
        return []
    if markup.find("+") == len(markup) - 1:
        return ["is-collapsible collapsible-open"]
    return ["is-collapsible collapsible-closed"]
