# Wrong: the name asked for is used as a regular expression instead of as plain text.
import re


def event_context_provider_sent(sent, name):
    return any(
        isinstance(event.get("name"), str)
        and re.fullmatch(name, event["name"]) is not None
        for event in sent
    )
