# wrong: chooses with and/or, so a falsy replacement of false (0, empty text, null) gives the replacement of true instead
def unbool(element, true, false):
    if isinstance(element, bool):
        if element:
            return true
        return (not element and false) or true
    return element
