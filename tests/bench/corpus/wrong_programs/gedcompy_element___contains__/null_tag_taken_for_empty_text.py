# a null tag is taken for the empty text
def element_contains(child_elements, key):
    tags = set()
    for child in child_elements:
        if "tag" not in child:
            continue
        tag = child["tag"]
        if tag is None:
            tag = ""
        if isinstance(tag, str):
            tags.add(tag)
    return key in tags
