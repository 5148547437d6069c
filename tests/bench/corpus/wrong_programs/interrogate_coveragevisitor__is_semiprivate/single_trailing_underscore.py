# Wrong: one underscore at the end is enough to rule a name out, where it takes two.


def coverage_visitor_is_semiprivate(node: dict) -> bool:
    name = node["name"]
    if not name.startswith("_") or name.startswith("__"):
        return False
    return not name[1:].endswith("_")
