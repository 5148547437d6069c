# Wrong: nothing (None) is not appended to an event that has handlers
def event_handler_connect(handlers: dict[str, list[int | list[object] | dict[object, object] | str | None]], event_name: str, handler: int | list[object] | dict[object, object] | str | None) -> dict[str, dict[str, list[int | list[object] | dict[object, object] | str | None]]]:
    if event_name in handlers:
        if handler is not None:
            handlers[event_name].append(handler)
    else:
        handlers[event_name] = [handler]
    return {"handlers": handlers}
