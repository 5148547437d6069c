# Wrong: the entries of a list are turned to text, "messages" being texts.
def invalid_messages(msg):
    if msg is None:
        return []
    if isinstance(msg, (list, tuple)):
        return [str(m) for m in msg]
    return [msg]
