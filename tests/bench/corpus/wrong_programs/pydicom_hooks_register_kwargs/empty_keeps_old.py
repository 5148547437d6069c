# an empty kwargs leaves the old ones in place
def hooks_register_kwargs(raw_element_kwargs: dict[str, int | list[object] | dict[object, object] | str | None], hook: str, kwargs: dict[str, int | list[object] | dict[object, object] | str | None]) -> dict[str, dict[str, int | list[object] | dict[object, object] | str | None]]:
    return {hook: kwargs or raw_element_kwargs}
