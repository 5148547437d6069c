# Wrong: a fragment of blanks only is taken for an empty one
def bookend(string, fragment):
    if not string or not fragment.strip():
        return string
    if string.startswith(fragment) and string.endswith(fragment):
        return string
    return fragment + string + fragment
