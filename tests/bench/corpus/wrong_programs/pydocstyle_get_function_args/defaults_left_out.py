# WRONG: arguments with a default are missing
import ast
from itertools import chain


def get_function_args(function_source):
    try:
        args = ast.parse(function_source.strip()).body[0].args
    except (SyntaxError, IndexError, AttributeError):
        return []
    plain = args.args[: len(args.args) - len(args.defaults)]
    return [a.arg for a in chain(plain, args.kwonlyargs)]
