# Wrong: a full name with an empty or null value counts as absent, so that its alias replaces it.
_ALIASES = {
    "root": "root_value",
    "context": "context_value",
    "variables": "variable_values",
    "operation": "operation_name",
}


def normalize_execute_kwargs(kwargs):
    result = dict(kwargs)
    for alias, name in _ALIASES.items():
        if alias in result and not result.get(name):
            result[name] = result.pop(alias)
    return result
