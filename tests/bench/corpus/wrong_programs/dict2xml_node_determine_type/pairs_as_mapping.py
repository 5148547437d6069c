# Wrong: a list of pairs is called a mapping, as dict() would take it.
def node_determine_type(own_data: int | list[object] | dict[object, object] | str | None) -> str:
    if isinstance(own_data, str) or not hasattr(own_data, "__iter__"):
        return "flat"
    if isinstance(own_data, dict):
        return "mapping"
    if own_data:
        try:
            dict(own_data)
            return "mapping"
        except (TypeError, ValueError):
            pass
    return "iterable"
