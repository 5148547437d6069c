# wrong: a list that starts with a truth value is taken for that value


def cron_item_enable(own_enabled: float | int | list[object] | dict[object, object] | str | None, enabled: bool | list[object] = True) -> dict[str, bool | int]:
    value = enabled
    if isinstance(value, list) and value:
        value = value[0]
    if isinstance(value, bool):
        own_enabled = value
    return {"enabled": own_enabled, "result": own_enabled}
