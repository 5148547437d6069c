# Wrong: arguments whose value is nothing are taken for missing and not passed on as keywords.
def update_args_kwargs(args, kwargs, parsed_args, as_kwargs, arg_name):
    args = tuple(args)
    kwargs = dict(kwargs)
    if as_kwargs:
        for key, value in parsed_args.items():
            if value is not None:
                kwargs[key] = value
    elif arg_name:
        kwargs[arg_name] = parsed_args
    else:
        args += (parsed_args,)
    return args, kwargs
