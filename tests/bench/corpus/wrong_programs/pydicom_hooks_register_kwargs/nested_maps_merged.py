# maps held under the same key are merged instead of replaced
def hooks_register_kwargs(raw_element_kwargs: dict[str, int | list[object] | dict[object, object] | str | None], hook: str, kwargs: dict[str, int | list[object] | dict[object, object] | str | None]) -> dict[str, dict[str, int | list[object] | dict[object, object] | str | None]]:
    out = {}
    for k, v in kwargs.items():
        old = raw_element_kwargs.get(k)
        out[k] = {**old, **v} if isinstance(old, dict) and isinstance(v, dict) else v
    return {hook: out}
