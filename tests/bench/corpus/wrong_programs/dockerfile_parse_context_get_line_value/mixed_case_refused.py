# Wrong: accepts the type all in capitals or all in small letters, but not with a capital at the start only.
def context_get_line_value(line_args, line_envs, line_labels, context_type):
    values = {
        "ARG": line_args, "arg": line_args,
        "ENV": line_envs, "env": line_envs,
        "LABEL": line_labels, "label": line_labels,
    }
    if context_type not in values:
        raise ValueError("Unexpected context type: " + context_type)
    return values[context_type]
