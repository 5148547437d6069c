# WRONG: blanks at the ends are removed
def sanitize_context(context):
    if not context:
        return ""
    return context.strip().replace("%", "%%")
