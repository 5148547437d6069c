# Wrong: looks at all fields of an event, not only at its name.
def event_context_provider_sent(sent, name):
    return any(name in event.values() for event in sent)
