# Wrong: names are compared as texts, so an event named by the integer 5 counts as "5".
def event_context_provider_sent(sent, name):
    return any(str(event.get("name")) == name for event in sent)
