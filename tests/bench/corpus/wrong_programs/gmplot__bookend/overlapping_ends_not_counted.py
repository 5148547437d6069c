# Wrong: a fragment at both ends must not overlap itself to count, save if it is the whole text
def bookend(string, fragment):
    if not string or string == fragment:
        return string
    if (len(string) >= 2 * len(fragment)
            and string.startswith(fragment) and string.endswith(fragment)):
        return string
    return fragment + string + fragment
