# Wrong: a path counts as inside itself.
def is_inside(parts, container):
    return len(parts) >= len(container) and parts[: len(container)] == container
