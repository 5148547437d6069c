# Wrong: skips the parameters self and cls and so leaves symbols of that name in the map.
def protect_eval_dict(evaldict, func_name, params_names):
    names = [func_name]
    names += [name for name in params_names if name not in ("self", "cls")]
    for name in names:
        evaldict.pop(name, None)
    return evaldict
