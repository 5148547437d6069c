package main

func update_args_kwargs(args []any, kwargs map[string]any, parsed_args map[string]any, as_kwargs bool, arg_name *string) []any {
	newArgs := make([]any, len(args), len(args)+1)
	copy(newArgs, args)
	newKwargs := make(map[string]any, len(kwargs)+len(parsed_args))
	for key, value := range kwargs {
		newKwargs[key] = value
	}
	switch {
	case as_kwargs:
		for key, value := range parsed_args {
			newKwargs[key] = value
		}
	case arg_name != nil && *arg_name != "":
		newKwargs[*arg_name] = parsed_args
	default:
		newArgs = append(newArgs, parsed_args)
	}
	return []any{newArgs, newKwargs}
}
