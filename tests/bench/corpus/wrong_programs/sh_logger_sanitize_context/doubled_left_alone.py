# WRONG: %% is taken as already escaped
import re


def sanitize_context(context):
    if not context:
        return ""
    return re.sub("%+", "%%", context)
