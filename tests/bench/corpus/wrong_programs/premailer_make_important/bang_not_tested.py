# Wrong: looks only for "important" at the end, without the exclamation mark.
def make_important(bulk):
    result = []
    for prop in bulk.split(";"):
        if not prop.endswith("important"):
            prop = "%s !important" % prop
        result.append(prop)
    return ";".join(result)
