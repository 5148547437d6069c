# Wrong: -dirty is not appended where the text ends with it
def render_git_describe_long(pieces: dict[str, int | list[object] | dict[object, object] | str | None]) -> str:
    tag = pieces["closest-tag"]
    if tag:
        out = "{}-{}-g{}".format(tag, pieces["distance"], pieces["short"])
    else:
        out = pieces["short"]
    if pieces["dirty"] and not out.endswith("-dirty"):
        out += "-dirty"
    return out
