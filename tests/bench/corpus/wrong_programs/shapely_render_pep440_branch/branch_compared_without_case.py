# Wrong: the branch is compared without case
def render_pep440_branch(pieces):
    if pieces["closest-tag"]:
        rendered = pieces["closest-tag"]
        if pieces["distance"] or pieces["dirty"]:
            if pieces["branch"].lower() != "master":
                rendered += ".dev0"
            rendered += "." if "+" in pieces["closest-tag"] else "+"
            rendered += "%d.g%s" % (pieces["distance"], pieces["short"])
            if pieces["dirty"]:
                rendered += ".dirty"
    else:
        rendered = "0"
        if pieces["branch"].lower() != "master":
            rendered += ".dev0"
        rendered += "+untagged.%d.g%s" % (pieces["distance"], pieces["short"])
        if pieces["dirty"]:
            rendered += ".dirty"
    return rendered
