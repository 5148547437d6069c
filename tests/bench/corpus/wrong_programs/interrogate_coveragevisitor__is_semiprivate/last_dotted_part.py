# Wrong: only the part after the last dot is looked at, not the name as it stands.


def coverage_visitor_is_semiprivate(node: dict) -> bool:
    name = node["name"].rpartition(".")[2]
    if name.endswith("__") or name.startswith("__"):
        return False
    return name.startswith("_")
