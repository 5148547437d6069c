# Wrong: takes "harmful" for dangerous to evaluate and also removes __builtins__, eval, exec and the like.
DANGEROUS = ("__builtins__", "__import__", "eval", "exec", "compile", "open")


def protect_eval_dict(evaldict, func_name, params_names):
    for name in (func_name, *params_names, *DANGEROUS):
        evaldict.pop(name, None)
    return evaldict
