# Wrong: splits at slashes and drops empty parts everywhere, so "//" inside becomes "/".
def strip_slashes(name):
    return "/".join(part for part in name.split("/") if part)
