# entries whose value is nothing are dropped
def hooks_register_kwargs(raw_element_kwargs: dict[str, int | list[object] | dict[object, object] | str | None], hook: str, kwargs: dict[str, int | list[object] | dict[object, object] | str | None]) -> dict[str, dict[str, int | list[object] | dict[object, object] | str | None]]:
    return {hook: {k: v for k, v in kwargs.items() if v is not None}}
