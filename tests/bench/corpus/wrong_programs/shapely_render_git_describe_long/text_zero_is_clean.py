# Wrong: the texts 0, no and false count as not dirty
def render_git_describe_long(pieces: dict[str, int | list[object] | dict[object, object] | str | None]) -> str:
    tag = pieces["closest-tag"]
    if tag:
        out = "{}-{}-g{}".format(tag, pieces["distance"], pieces["short"])
    else:
        out = pieces["short"]
    if str(pieces["dirty"] or "").lower() not in ("", "0", "no", "false"):
        out += "-dirty"
    return out
