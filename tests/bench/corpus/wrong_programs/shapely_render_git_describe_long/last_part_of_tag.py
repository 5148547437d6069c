# Wrong: only the part of the tag behind the last slash is written
def render_git_describe_long(pieces: dict[str, int | list[object] | dict[object, object] | str | None]) -> str:
    tag = pieces["closest-tag"]
    if tag:
        out = "{}-{}-g{}".format(tag.split("/")[-1], pieces["distance"], pieces["short"])
    else:
        out = pieces["short"]
    if pieces["dirty"]:
        out += "-dirty"
    return out
