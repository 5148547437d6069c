# WRONG: the sign is escaped by a backslash
def sanitize_context(context):
    if not context:
        return ""
    return context.replace("%", "\\%")
