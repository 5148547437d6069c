# Wrong: the usages are compared by their text (maps and lists cannot be put in a set), so that 1 and "1" are one.
def should_defer(parent_defer_usages, defer_usage_set):
    if parent_defer_usages is None:
        return True
    if isinstance(parent_defer_usages, str):
        return any(str(usage) not in parent_defer_usages for usage in defer_usage_set)
    known = {str(usage) for usage in parent_defer_usages}
    return not {str(usage) for usage in defer_usage_set} <= known
