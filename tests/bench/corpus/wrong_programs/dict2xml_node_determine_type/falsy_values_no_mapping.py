# Wrong: the values are tested for truth, so a map that holds 0, an empty text or nothing is called iterable.
def node_determine_type(own_data: int | list[object] | dict[object, object] | str | None) -> str:
    if isinstance(own_data, str) or not hasattr(own_data, "__iter__"):
        return "flat"
    if hasattr(own_data, "get") and all(own_data.get(key) for key in own_data):
        return "mapping"
    return "iterable"
