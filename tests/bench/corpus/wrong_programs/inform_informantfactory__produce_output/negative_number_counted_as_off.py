# Wrong: a number counts as set only when it is above zero; a negative number is passed over.
def _is_on(value):
    if isinstance(value, int):
        return value > 0
    return bool(value)


def informant_factory_produce_output(
    log: int | list[object] | dict[object, object] | str | None,
    output: int | list[object] | dict[object, object] | str | None,
    notify: int | list[object] | dict[object, object] | str | None,
    informer: int | list[object] | dict[object, object] | str | None,
) -> int | list[object] | dict[object, object] | str | None:
    if _is_on(output):
        return output
    if _is_on(log):
        return log
    return notify
