# Wrong: a nothing among the usages is passed over as "not deferred".
def should_defer(parent_defer_usages, defer_usage_set):
    if parent_defer_usages is None:
        return True
    for usage in defer_usage_set:
        if usage is None:
            continue
        if usage not in parent_defer_usages:
            return True
    return False
