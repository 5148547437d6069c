# wrong: the two tests run one after the other on the same variable, so a replacement of true that is itself false is replaced a second time
def unbool(element, true, false):
    if element is True:
        element = true
    if element is False:
        element = false
    return element
