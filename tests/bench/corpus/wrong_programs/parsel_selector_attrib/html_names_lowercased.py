# Wrong: in an html selector the attribute names are put into lower case; they are to be returned as they are.
def selector_attrib(root, type):
    if type == "json":
        return {}
    attrib = dict(root["attrib"])
    if type == "html":
        attrib = {name.lower(): value for name, value in attrib.items()}
    return attrib
