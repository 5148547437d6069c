# a map held under the name of the hook is unwrapped
def hooks_register_kwargs(raw_element_kwargs: dict[str, int | list[object] | dict[object, object] | str | None], hook: str, kwargs: dict[str, int | list[object] | dict[object, object] | str | None]) -> dict[str, dict[str, int | list[object] | dict[object, object] | str | None]]:
    inner = kwargs.get(hook)
    return {hook: inner if isinstance(inner, dict) else kwargs}
