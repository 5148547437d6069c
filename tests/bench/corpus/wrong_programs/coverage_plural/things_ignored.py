# Wrong: the given plural is ignored, an s is always added.
def plural(n, thing="", things=""):
    if n == 1:
        noun = thing
    else:
        noun = thing + "s"
    return f"{n} {noun}"
