# WRONG: only the first % is doubled
def sanitize_context(context):
    if not context:
        return ""
    return context.replace("%", "%%", 1)
