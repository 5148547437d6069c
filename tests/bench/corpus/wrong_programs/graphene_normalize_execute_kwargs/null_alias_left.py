# Wrong: an alias whose value is nothing (null) is not renamed.
_ALIASES = {
    "root": "root_value",
    "context": "context_value",
    "variables": "variable_values",
    "operation": "operation_name",
}


def normalize_execute_kwargs(kwargs):
    result = dict(kwargs)
    for alias, name in _ALIASES.items():
        if result.get(alias) is not None and name not in result:
            result[name] = result.pop(alias)
    return result
