# Wrong: the joined texts are compared, so a longer name counts.
def is_inside(parts, container):
    if len(parts) <= len(container):
        return False
    return "/".join(map(str, parts)).startswith("/".join(map(str, container)))
