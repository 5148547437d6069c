# a tag that is a list counts if the key is one of its items
def element_contains(child_elements, key):
    for child in child_elements:
        tag = child.get("tag")
        if isinstance(tag, list):
            if key in tag:
                return True
        elif tag == key:
            return True
    return False
