# wrong: a first element that is itself a list of one element is unwrapped


def iter_first(sequence: list[int | list[object] | dict[object, object] | str | None]) -> int | list[object] | dict[object, object] | str | None:
    it = iter(sequence)
    try:
        first = next(it)
    except StopIteration:
        raise ValueError("empty sequence")
    if isinstance(first, list) and len(first) == 1:
        return iter_first(first)
    return first
