# Wrong: everything that can be iterated but texts is flattened, so a map gives its keys.
from collections.abc import Iterable


def flatten(items: list[int | list[object] | str]) -> list[int | dict[object, object] | str | None]:
    flat = []
    for item in items:
        if isinstance(item, Iterable) and not isinstance(item, (str, bytes)):
            flat.extend(flatten(item))
        else:
            flat.append(item)
    return flat
