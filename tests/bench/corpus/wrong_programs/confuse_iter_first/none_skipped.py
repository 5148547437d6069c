# wrong: nothing (None) at the front is passed over as if it were no element


def iter_first(sequence: list[int | list[object] | dict[object, object] | str | None]) -> int | list[object] | dict[object, object] | str | None:
    if not sequence:
        raise ValueError("no values")
    return next((item for item in sequence if item is not None), None)
