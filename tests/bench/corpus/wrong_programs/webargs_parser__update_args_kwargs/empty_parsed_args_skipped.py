# Wrong: with no parsed arguments nothing is added, though the view still awaits its (empty) map.
def update_args_kwargs(args, kwargs, parsed_args, as_kwargs, arg_name):
    args, kwargs = tuple(args), dict(kwargs)
    if not parsed_args:
        return args, kwargs
    if as_kwargs:
        kwargs.update(parsed_args)
    elif arg_name:
        kwargs[arg_name] = parsed_args
    else:
        args = args + (parsed_args,)
    return args, kwargs
