# Wrong: a map counts as set only when one of its values is; a map that has entries is already set.
def _is_on(value):
    if isinstance(value, dict):
        return any(value.values())
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
