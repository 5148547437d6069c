# Wrong: only one level below counts.
def is_inside(parts, container):
    return len(parts) == len(container) + 1 and parts[: len(container)] == container
