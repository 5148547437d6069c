# Wrong: removes the names from maps inside the values too, not only from the outer map.
def protect_eval_dict(evaldict, func_name, params_names):
    harmful = {func_name, *params_names}

    def clean(mapping):
        for name in list(mapping):
            if name in harmful:
                del mapping[name]
            elif isinstance(mapping[name], dict):
                clean(mapping[name])
        return mapping

    return clean(evaldict)
