# Wrong: all parts are joined by dots, pre-release parts too.
def format_version(parts):
    return ".".join(part for i, part in enumerate(parts) if i < 3 or part)
