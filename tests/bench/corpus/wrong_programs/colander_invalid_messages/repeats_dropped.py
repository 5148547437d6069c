# Wrong: a message that stands twice in the list is given once.
def invalid_messages(msg):
    if msg is None:
        return []
    if isinstance(msg, str):
        return [msg]
    try:
        messages = list(msg)
    except TypeError:
        return [msg]
    unique = []
    for m in messages:
        if m not in unique:
            unique.append(m)
    return unique
