# WRONG: only nothing, zero and the empty text count as not connected; an empty list or map is taken as true.
def smtp_is_connected(protocol):
    if protocol is None:
        return False
    value = protocol["is_connected"]
    if value is None:
        return False
    if isinstance(value, (bool, int, float)):
        return value != 0
    if isinstance(value, str):
        return value != ""
    return True
