# Wrong: takes backslashes at the ends for slashes.
def strip_slashes(name):
    return name.strip("/\\")
