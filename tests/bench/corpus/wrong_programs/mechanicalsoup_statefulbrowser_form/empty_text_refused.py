# An empty text is refused like a form that has not been selected.
def stateful_browser_form(state: dict[str, bool | float | int | list[object] | dict[object, object] | str | None]) -> bool | float | int | list[object] | dict[object, object] | str:
    form = state["form"]
    if form is None or form == "":
        raise AttributeError("No form has been selected yet on this page.")
    return form
