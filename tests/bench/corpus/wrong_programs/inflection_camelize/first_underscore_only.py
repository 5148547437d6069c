# Wrong: only the first underscore is handled.
def camelize(string, uppercase_first_letter=True):
    first, sep, rest = string.partition("_")
    if not uppercase_first_letter:
        first = first[:1].lower() + first[1:]
    else:
        first = first[:1].upper() + first[1:]
    return first + rest[:1].upper() + rest[1:]
