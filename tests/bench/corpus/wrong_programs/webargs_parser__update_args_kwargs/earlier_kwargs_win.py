# Wrong: where both have a key, the value that kwargs had before wins; the parsed one must.
def update_args_kwargs(args, kwargs, parsed_args, as_kwargs, arg_name):
    if as_kwargs:
        return tuple(args), {**parsed_args, **kwargs}
    if arg_name is not None:
        return tuple(args), {**kwargs, arg_name: parsed_args}
    return (*args, parsed_args), dict(kwargs)
