# Wrong: when nothing is set, an empty text, list or map in notify is turned into nothing instead of being returned.
def informant_factory_produce_output(
    log: int | list[object] | dict[object, object] | str | None,
    output: int | list[object] | dict[object, object] | str | None,
    notify: int | list[object] | dict[object, object] | str | None,
    informer: int | list[object] | dict[object, object] | str | None,
) -> int | list[object] | dict[object, object] | str | None:
    if output:
        return output
    if log:
        return log
    if notify or notify == 0:
        return notify
    return None
