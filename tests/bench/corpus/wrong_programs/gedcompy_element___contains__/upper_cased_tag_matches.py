# a tag in lower case also counts for the key in upper case
def element_contains(child_elements, key):
    for child in child_elements:
        tag = child.get("tag")
        if tag == key:
            return True
        if isinstance(tag, str) and tag.upper() == key:
            return True
    return False
