# Wrong: the entries of the container may stand anywhere.
def is_inside(parts, container):
    return len(parts) > len(container) and all(p in parts for p in container)
