# Wrong: counts the entries of the positional map, not the arguments, so a map of two entries is refused.
def get_dict_arg(name, expected_args, expected_kwargs):
    if expected_kwargs:
        if expected_args:
            raise TypeError(f"{name} requires either a single argument or kwargs, not both")
        return expected_kwargs
    entries = [pair for value in expected_args for pair in value.items()]
    if len(entries) > 1:
        raise TypeError(f"{name} expected at most 1 argument, got {len(entries)}")
    return dict(entries)
