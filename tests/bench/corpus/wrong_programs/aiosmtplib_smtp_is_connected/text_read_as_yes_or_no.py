# WRONG: a text is read for its meaning ("false", "no", "0" are false) instead of being true when it is not empty.
def smtp_is_connected(protocol):
    if protocol is None:
        return False
    value = protocol["is_connected"]
    if isinstance(value, str):
        return value.lower() not in ("", "0", "false", "no", "off", "none")
    return bool(value)
