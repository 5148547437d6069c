# children of the children are looked at too
def element_contains(child_elements, key):
    for child in child_elements:
        if child.get("tag") == key:
            return True
        if element_contains(child.get("child_elements") or [], key):
            return True
    return False
