# Wrong: the one positional argument is handed to dict(), so a list of pairs passes too where only a map may.
def get_dict_arg(name, expected_args, expected_kwargs):
    if expected_kwargs:
        if expected_args:
            raise TypeError(f"{name} requires either a single argument or kwargs, not both")
        return expected_kwargs
    if not expected_args:
        return {}
    if len(expected_args) == 1:
        return dict(expected_args[0])
    raise TypeError(f"{name} expected at most 1 argument, got {len(expected_args)}")
