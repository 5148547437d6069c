# Wrong: only the word is returned, as the docstring alone reads.
def plural(n, thing="", things=""):
    if n == 1:
        noun = thing
    else:
        noun = things or (thing + "s")
    return noun
