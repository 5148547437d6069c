# Wrong: everything up to one takes the singular.
def plural(n, thing="", things=""):
    if n <= 1:
        noun = thing
    else:
        noun = things or (thing + "s")
    return f"{n} {noun}"
