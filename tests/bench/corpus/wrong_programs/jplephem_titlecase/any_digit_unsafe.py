# Wrong: a name that begins with any digit is left alone, not only one that begins with 1.
def titlecase(name):
    if name[:1].isdigit() or name.startswith(("C/", "DSS-")):
        return name
    return name.title()
