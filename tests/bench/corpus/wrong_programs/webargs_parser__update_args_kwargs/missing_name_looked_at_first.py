# Wrong: without arg_name the parsed arguments are appended, even if as_kwargs asks for keywords.
def update_args_kwargs(args, kwargs, parsed_args, as_kwargs, arg_name):
    kwargs = dict(kwargs)
    args = tuple(args)
    if arg_name is None:
        args += (parsed_args,)
    elif as_kwargs:
        kwargs.update(parsed_args)
    else:
        kwargs[arg_name] = parsed_args
    return args, kwargs
