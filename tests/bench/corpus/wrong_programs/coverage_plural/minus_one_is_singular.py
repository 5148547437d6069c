# Wrong: the sign is ignored when looking for one.
def plural(n, thing="", things=""):
    if abs(n) == 1:
        noun = thing
    else:
        noun = things or (thing + "s")
    return f"{n} {noun}"
