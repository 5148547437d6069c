# Wrong: a v before the version number is dropped from the tag
import re

def render_git_describe_long(pieces: dict[str, int | list[object] | dict[object, object] | str | None]) -> str:
    tag = pieces["closest-tag"]
    if tag:
        out = "{}-{}-g{}".format(re.sub(r"^v(?=\d)", "", tag), pieces["distance"], pieces["short"])
    else:
        out = pieces["short"]
    if pieces["dirty"]:
        out += "-dirty"
    return out
