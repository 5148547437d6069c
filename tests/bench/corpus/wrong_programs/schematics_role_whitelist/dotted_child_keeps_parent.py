# Wrong: a parent counts as listed when one of its dotted children is.
def whitelist(name, value, seq):
    if not seq:
        return True
    if name in seq:
        return False
    return not any(
        isinstance(field, str) and field.startswith(name + ".") for field in seq
    )
