# Wrong: several positional maps are merged one after the other, although at most one is allowed.
def get_dict_arg(name, expected_args, expected_kwargs):
    if expected_kwargs:
        if expected_args:
            raise TypeError(f"{name} requires either a single argument or kwargs, not both")
        return expected_kwargs
    merged = {}
    for value in expected_args:
        if not isinstance(value, dict):
            raise TypeError(f"expected_values must be a dict, got {type(value)}")
        merged.update(value)
    return merged
