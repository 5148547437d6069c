# Wrong: where a full name and its alias are both maps they are merged under the full name, not both left as they are.
def normalize_execute_kwargs(kwargs):
    result = dict(kwargs)
    for alias, name in (
        ("root", "root_value"),
        ("context", "context_value"),
        ("variables", "variable_values"),
        ("operation", "operation_name"),
    ):
        if alias not in result:
            continue
        if name not in result:
            result[name] = result.pop(alias)
        elif isinstance(result[name], dict) and isinstance(result[alias], dict):
            result[name] = {**result.pop(alias), **result[name]}
    return result
