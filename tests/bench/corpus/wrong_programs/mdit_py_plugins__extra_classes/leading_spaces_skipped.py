# wrong: skips spaces before the question mark
def extra_classes(markup: str) -> list[str]:
    markup = markup.lstrip(" ")
    if not markup.startswith("?"):
        return []
    return ["is-collapsible collapsible-open" if markup.endswith("+") else "is-collapsible collapsible-closed"]
