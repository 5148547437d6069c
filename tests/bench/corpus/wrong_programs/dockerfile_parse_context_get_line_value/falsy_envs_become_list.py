# Wrong: returns an empty list when the value is empty or nothing, instead of the value itself.
def context_get_line_value(line_args, line_envs, line_labels, context_type):
    kind = context_type.upper()
    if kind == "ARG":
        value = line_args
    elif kind == "ENV":
        value = line_envs
    elif kind == "LABEL":
        value = line_labels
    else:
        raise ValueError("Unexpected context type: " + context_type)
    return value or []
