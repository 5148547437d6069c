# wrong: "or False" turns a held 0 (or anything empty) into false when nothing is set


def cron_item_enable(own_enabled: float | int | list[object] | dict[object, object] | str | None, enabled: bool | list[object] = True) -> dict[str, bool | int]:
    if isinstance(enabled, bool):
        state = enabled
    else:
        state = own_enabled or False
    return {"enabled": state, "result": state}
