# Fields without a value (null) are left out of a form that is a map.
def stateful_browser_form(state: dict[str, bool | float | int | list[object] | dict[object, object] | str | None]) -> bool | float | int | list[object] | dict[object, object] | str:
    form = state["form"]
    if form is None:
        raise AttributeError("No form has been selected yet on this page.")
    if isinstance(form, dict):
        return {key: value for key, value in form.items() if value is not None}
    return form
