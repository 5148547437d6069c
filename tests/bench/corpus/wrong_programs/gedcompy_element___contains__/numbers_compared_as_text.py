# tags are turned into texts before they are compared
def element_contains(child_elements, key):
    return key in [str(child["tag"]) for child in child_elements if "tag" in child]
