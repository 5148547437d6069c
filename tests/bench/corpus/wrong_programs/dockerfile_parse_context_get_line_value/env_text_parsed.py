# Wrong: takes a text with "=" for an assignment and returns a map; the field is to be returned as it is.
def context_get_line_value(line_args, line_envs, line_labels, context_type):
    kind = context_type.upper()
    if kind == "ENV":
        if isinstance(line_envs, str) and "=" in line_envs:
            return dict(pair.split("=", 1) for pair in line_envs.split() if "=" in pair)
        return line_envs
    if kind == "ARG":
        return line_args
    if kind == "LABEL":
        return line_labels
    raise ValueError("Unexpected context type: " + context_type)
