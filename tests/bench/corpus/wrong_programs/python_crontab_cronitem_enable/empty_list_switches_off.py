# wrong: an empty list counts as false and switches the job off


def cron_item_enable(own_enabled: float | int | list[object] | dict[object, object] | str | None, enabled: bool | list[object] = True) -> dict[str, bool | int]:
    if enabled is True:
        own_enabled = True
    elif not enabled:
        own_enabled = False
    return {"enabled": own_enabled, "result": own_enabled}
