# wrong: a replacement of null is taken for 'not given' and a default of the program's own is put in its place
def unbool(element, true=None, false=None):
    if true is None:
        true = "true"
    if false is None:
        false = "false"
    if element is True:
        return true
    if element is False:
        return false
    return element
