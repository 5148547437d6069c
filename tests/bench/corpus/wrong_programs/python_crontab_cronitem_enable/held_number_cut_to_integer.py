# wrong: a held number is made an integer when nothing is set


def cron_item_enable(own_enabled: float | int | list[object] | dict[object, object] | str | None, enabled: bool | list[object] = True) -> dict[str, bool | int]:
    if enabled in (True, False):
        own_enabled = enabled
    elif isinstance(own_enabled, (int, float)):
        own_enabled = int(own_enabled)
    return {"enabled": own_enabled, "result": own_enabled}
