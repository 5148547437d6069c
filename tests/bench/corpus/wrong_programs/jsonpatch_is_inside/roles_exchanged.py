# Wrong: the container is looked for inside the parts the wrong way.
def is_inside(parts, container):
    if not container:
        return bool(parts)
    return len(container) > len(parts) and container[: len(parts)] == parts
