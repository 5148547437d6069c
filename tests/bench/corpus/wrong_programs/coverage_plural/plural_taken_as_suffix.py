# Wrong: things is appended to thing as an ending.
def plural(n, thing="", things=""):
    if n == 1:
        noun = thing
    else:
        noun = thing + (things or "s")
    return f"{n} {noun}"
