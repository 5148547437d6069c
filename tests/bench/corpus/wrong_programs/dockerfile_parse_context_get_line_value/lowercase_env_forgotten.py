# Wrong: accepts small letters for arg and label but not for env.
def context_get_line_value(line_args, line_envs, line_labels, context_type):
    if context_type == "ENV":
        return line_envs
    kind = context_type.lower()
    if kind == "arg":
        return line_args
    if kind == "label":
        return line_labels
    raise ValueError("Unexpected context type: " + context_type)
