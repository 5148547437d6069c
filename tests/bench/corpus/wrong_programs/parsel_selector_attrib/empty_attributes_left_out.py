# Wrong: attributes whose value is an empty text are left out.
def selector_attrib(root, type):
    if type == "json":
        return {}
    return {name: value for name, value in root["attrib"].items() if value != ""}
