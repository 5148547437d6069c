# WRONG: compares the field with the empty values but forgets nothing (null), which then counts as connected.
def smtp_is_connected(protocol):
    if protocol is None:
        return False
    return protocol["is_connected"] not in (False, 0, 0.0, "", [], {})
