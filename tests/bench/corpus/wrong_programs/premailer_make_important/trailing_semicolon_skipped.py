# Wrong: a semicolon at the end is taken as the end of the last property; no empty last property is marked.
def make_important(bulk):
    if len(bulk) > 1 and bulk.endswith(";"):
        return make_important(bulk[:-1]) + ";"
    return ";".join(
        p if p.endswith("!important") else "%s !important" % p
        for p in bulk.split(";")
    )
