# Wrong: where an event's name is a list, each of its items counts as a name of the event.
def event_context_provider_sent(sent, name):
    for event in sent:
        held = event.get("name")
        names = held if isinstance(held, list) else [held]
        if name in names:
            return True
    return False
