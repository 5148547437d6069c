# wrong: tests for falsehood rather than for false itself, so an empty map is replaced as well
def unbool(element, true, false):
    if not element:
        return false
    if element is True:
        return true
    return element
