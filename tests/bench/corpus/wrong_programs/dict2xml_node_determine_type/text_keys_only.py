# Wrong: a map counts as a mapping only if all its keys are texts.
from collections.abc import Iterable, Mapping


def node_determine_type(own_data: int | list[object] | dict[object, object] | str | None) -> str:
    if isinstance(own_data, str):
        return "flat"
    if isinstance(own_data, Mapping) and all(isinstance(k, str) for k in own_data):
        return "mapping"
    if isinstance(own_data, Iterable):
        return "iterable"
    return "flat"
