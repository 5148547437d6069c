# a missing tag is taken for the empty text
def element_contains(child_elements, key):
    for child in child_elements:
        if child.get("tag", "") == key:
            return True
    return False
