# Wrong: the type "text" counts as one without attributes, like "json".
def selector_attrib(root, type):
    if type in ("json", "text"):
        return {}
    return dict(root["attrib"])
