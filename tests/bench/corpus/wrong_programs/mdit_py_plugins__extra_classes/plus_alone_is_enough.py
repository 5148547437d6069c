# wrong: a plus sign at the end opens without a question mark at the start
def extra_classes(markup: str) -> list[str]:
    if markup.endswith("+"):
        return ["is-collapsible collapsible-open"]
    if markup.startswith("?"):
        return ["is-collapsible collapsible-closed"]
    return []
