# WRONG: %20 is left alone
import re


def sanitize_context(context):
    if not context:
        return ""
    return re.sub("%(?![0-9A-Fa-f]{2})", "%%", context)
