# Wrong: lists inside the list are flattened.
def invalid_messages(msg):
    if msg is None:
        return []
    if isinstance(msg, str) or not hasattr(msg, "__iter__"):
        return [msg]
    found = []
    for part in msg:
        if isinstance(part, list):
            found.extend(invalid_messages(part))
        else:
            found.append(part)
    return found
