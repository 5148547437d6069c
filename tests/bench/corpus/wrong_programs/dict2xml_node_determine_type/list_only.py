# Wrong: only lists count as iterable, a tuple is called flat.
def node_determine_type(own_data: int | list[object] | dict[object, object] | str | None) -> str:
    if isinstance(own_data, dict):
        return "mapping"
    if type(own_data) is list:
        return "iterable"
    return "flat"
