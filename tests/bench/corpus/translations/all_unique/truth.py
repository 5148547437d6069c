def all_unique(items: list[str]) -> bool:
    """Whether no item of a list stands in it twice."""
    seen = []
    for item in items:
        if item in seen:
            return False
        seen.append(item)
    return True
