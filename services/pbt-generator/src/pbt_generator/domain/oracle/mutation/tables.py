"""Which operator, method or function a mutant puts in the place of another."""

from __future__ import annotations

import ast

COMPARISON_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
BOUNDARY: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift, ast.RShift: ast.FloorDiv, ast.MatMult: ast.Mult,
}  # fmt: skip
DROPPABLE_METHODS = {
    "strip", "lstrip", "rstrip", "lower", "upper", "casefold", "title", "capitalize", "replace", "zfill",
    "removeprefix", "removesuffix", "round", "abs", "astype",
}  # fmt: skip
METHOD_SWAPS = {
    "lower": "upper", "upper": "lower", "startswith": "endswith", "endswith": "startswith", "strip": "lstrip",
    "lstrip": "rstrip", "rstrip": "lstrip", "find": "rfind", "rfind": "find", "partition": "rpartition",
    "rpartition": "partition", "ljust": "rjust", "rjust": "ljust", "isdigit": "isalnum", "isalpha": "isalnum",
    "isalnum": "isalpha", "keys": "values", "union": "intersection", "intersection": "union", "max": "min", "min":
    "max", "any": "all", "all": "any", "sum": "max", "mean": "median", "argmax": "argmin", "argmin": "argmax",
    "title": "capitalize", "capitalize": "title", "match": "search", "fullmatch": "match", "floor": "ceil", "ceil":
    "floor", "sin": "cos", "cos": "sin", "log": "log2", "index": "rindex", "maximum": "minimum", "minimum":
    "maximum", "vstack": "hstack", "hstack": "vstack", "cumsum": "cumprod", "bisect_left": "bisect_right",
    "bisect_right": "bisect_left", "heappush": "heappushpop",
}  # fmt: skip
DROPPABLE_FUNCTIONS = {
    "abs", "round", "int", "float", "str", "sorted", "set", "list", "reversed", "tuple",
}  # fmt: skip
FUNCTION_SWAPS = {"min": "max", "max": "min", "any": "all", "all": "any", "ceil": "floor", "floor": "ceil"}
# Calls whose two arguments commute, or whose swap would only raise.
UNSWAPPABLE = {
    "isinstance", "issubclass", "min", "max", "gcd", "lcm", "zip", "getattr", "hasattr", "map", "filter", "get",
    "split", "rsplit", "round", "int", "setdefault", "pop", "insert", "enumerate", "sum", "join", "hypot", "array",
    "asarray", "zeros", "index", "count", "startswith", "endswith", "Decimal", "sorted", "append", "dict",
    "maximum", "minimum", "isclose", "_ts_format",
}  # fmt: skip
# Methods that change nothing: an expression with only these can be evaluated twice.
PURE_METHODS = {
    "strip", "lstrip", "rstrip", "lower", "upper", "casefold", "title", "capitalize", "swapcase", "replace",
    "split", "rsplit", "splitlines", "partition", "rpartition", "startswith", "endswith", "find", "rfind", "index",
    "rindex", "count", "isdigit", "isalpha", "isalnum", "isspace", "isupper", "islower", "isnumeric", "isdecimal",
    "istitle", "isidentifier", "join", "format", "encode", "decode", "zfill", "ljust", "rjust", "center", "get",
    "items", "keys", "values", "copy", "removeprefix", "removesuffix", "expandtabs", "union", "intersection",
    "difference", "issubset", "issuperset", "isdisjoint", "match", "search", "fullmatch", "findall", "sub", "group",
    "groups", "sqrt", "floor", "ceil", "log", "sin", "cos", "bit_length", "isoformat", "strftime", "strptime",
    "total_seconds", "weekday", "date", "mean", "sum", "min", "max", "shape", "reshape", "astype", "tolist",
    "array", "asarray", "dot", "abs", "any", "all", "where", "start", "end", "span", "most_common", "fromisoformat",
    "loads", "dumps", "escape", "basename", "dirname", "splitext", "pow", "isfinite", "isnan",
}  # fmt: skip
