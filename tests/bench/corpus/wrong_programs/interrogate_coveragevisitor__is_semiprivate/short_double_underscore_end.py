# Wrong: two underscores at the end count only in names longer than four characters, as for real dunder names.


def coverage_visitor_is_semiprivate(node: dict) -> bool:
    name = node["name"]
    if name.startswith("__"):
        return False
    if len(name) > 4 and name.endswith("__"):
        return False
    return name.startswith("_")
