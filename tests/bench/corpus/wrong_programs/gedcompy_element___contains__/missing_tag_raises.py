# the tag is read without looking whether it is there
def element_contains(child_elements, key):
    return any(child["tag"] == key for child in child_elements)
