# Wrong: takes the stars off "*args" and "**kwargs" before looking the names up.
def protect_eval_dict(evaldict, func_name, params_names):
    evaldict.pop(func_name, None)
    for name in params_names:
        evaldict.pop(name.lstrip("*"), None)
    return evaldict
