# WRONG: arguments after * are missing
import ast
from itertools import chain


def get_function_args(function_source):
    try:
        args = ast.parse(function_source.strip()).body[0].args
    except (SyntaxError, IndexError, AttributeError):
        return []
    return [a.arg for a in args.args]
