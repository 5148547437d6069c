# Wrong: a list is filtered of its nothings, though it is to be returned as it is.
def invalid_messages(msg):
    if msg is None:
        return []
    if isinstance(msg, (str, bytes)) or not hasattr(msg, "__iter__"):
        msg = [msg]
    return [m for m in msg if m is not None]
