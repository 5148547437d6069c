# A list with one member is taken as the result of a selection, and its member is returned.
def stateful_browser_form(state: dict[str, bool | float | int | list[object] | dict[object, object] | str | None]) -> bool | float | int | list[object] | dict[object, object] | str:
    form = state["form"]
    if form is None:
        raise AttributeError("No form has been selected yet on this page.")
    if isinstance(form, list) and len(form) == 1:
        return form[0]
    return form
