# WRONG: a number is cut to a whole number before its truth is taken, so 0.5 counts as zero.
def smtp_is_connected(protocol):
    if protocol is None:
        return False
    value = protocol["is_connected"]
    if isinstance(value, (bool, int, float)):
        if value != value or value in (float("inf"), float("-inf")):
            return True
        return int(value) != 0
    return bool(value)
