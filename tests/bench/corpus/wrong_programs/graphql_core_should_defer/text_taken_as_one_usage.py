# Wrong: a text as the parent is taken for one usage; a part of the text is in it as well.
def should_defer(parent_defer_usages, defer_usage_set):
    if parent_defer_usages is None:
        return True
    if isinstance(parent_defer_usages, str):
        parent_defer_usages = [parent_defer_usages]
    return any(usage not in parent_defer_usages for usage in defer_usage_set)
