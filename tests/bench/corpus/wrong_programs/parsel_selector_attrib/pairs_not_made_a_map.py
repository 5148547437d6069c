# Wrong: returns the attributes as they are stored, where they are to be made a map (a list of pairs stays a list).
def selector_attrib(root, type):
    if type == "json":
        return {}
    return root["attrib"]
