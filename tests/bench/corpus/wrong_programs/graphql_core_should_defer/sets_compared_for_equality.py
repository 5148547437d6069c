# Wrong: defers whenever the two sets differ; a child that has only some of the parent's usages brings nothing new.
def should_defer(parent_defer_usages, defer_usage_set):
    if parent_defer_usages is None:
        return True
    if not defer_usage_set:
        return False
    known = list(parent_defer_usages)
    return any(usage not in known for usage in defer_usage_set) or any(
        usage not in defer_usage_set for usage in known
    )
