# Wrong: turns a map of variables into a list of NAME=value texts, as the other two are lists.
def context_get_line_value(line_args, line_envs, line_labels, context_type):
    kind = context_type.upper()
    if kind == "ARG":
        return line_args
    if kind == "LABEL":
        return line_labels
    if kind == "ENV":
        if isinstance(line_envs, dict):
            return ["%s=%s" % item for item in line_envs.items()]
        return line_envs
    raise ValueError("Unexpected context type: " + context_type)
