# WRONG: the source is not stripped, a method gives no arguments
import ast
from itertools import chain


def get_function_args(function_source):
    try:
        args = ast.parse(function_source).body[0].args
    except (SyntaxError, IndexError, AttributeError):
        return []
    return [a.arg for a in chain(args.args, args.kwonlyargs)]
