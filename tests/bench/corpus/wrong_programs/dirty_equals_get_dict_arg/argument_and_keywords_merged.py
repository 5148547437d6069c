# Wrong: follows dict(...) to the letter, so a positional map and keyword values given together are merged instead of refused.
def get_dict_arg(name, expected_args, expected_kwargs):
    if len(expected_args) > 1:
        raise TypeError(f"{name} expected at most 1 argument, got {len(expected_args)}")
    result = {}
    if expected_args:
        if not isinstance(expected_args[0], dict):
            raise TypeError(f"expected_values must be a dict, got {type(expected_args[0])}")
        result.update(expected_args[0])
    result.update(expected_kwargs)
    return result
