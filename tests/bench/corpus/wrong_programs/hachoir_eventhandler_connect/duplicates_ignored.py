# Wrong: a handler that is connected already is not appended again
def event_handler_connect(handlers: dict[str, list[int | list[object] | dict[object, object] | str | None]], event_name: str, handler: int | list[object] | dict[object, object] | str | None) -> dict[str, dict[str, list[int | list[object] | dict[object, object] | str | None]]]:
    known = handlers.setdefault(event_name, [])
    if handler not in known:
        known.append(handler)
    return {"handlers": handlers}
