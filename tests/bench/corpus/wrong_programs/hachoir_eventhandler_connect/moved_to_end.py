# Wrong: an equal handler is taken out before, so it moves to the end
def event_handler_connect(handlers: dict[str, list[int | list[object] | dict[object, object] | str | None]], event_name: str, handler: int | list[object] | dict[object, object] | str | None) -> dict[str, dict[str, list[int | list[object] | dict[object, object] | str | None]]]:
    lst = handlers.setdefault(event_name, [])
    if handler in lst:
        lst.remove(handler)
    lst.append(handler)
    return {"handlers": handlers}
