# Wrong: the branch main counts as master too
def render_pep440_post_branch(pieces: dict[str, bool | float | int | list[object] | dict[object, object] | str | None]) -> str:
    tag = pieces["closest-tag"]
    if tag and not (pieces["distance"] or pieces["dirty"]):
        return tag
    out = tag or "0"
    if not tag and not (True):
        return out
    out += ".post%d" % pieces["distance"]
    if pieces.get("branch") not in ("master", "main"):
        out += ".dev0"
    out += "." if "+" in tag else "+"
    out += "g%s" % pieces["short"]
    if pieces["dirty"]:
        out += ".dirty"
    return out
