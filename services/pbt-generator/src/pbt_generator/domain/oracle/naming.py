"""Does a result hang on the name of the module that a program stands in? A variant of a ground truth that tells.

A class is told by the module that defines it, so that the text of one is another in its package than in a task.
"""

from __future__ import annotations

import ast

from pbt_generator.domain.oracle.syntax import last_name

_ELSEWHERE = """
import sys as _ts_sys

_ts_sys.modules["_ts_elsewhere"] = _ts_sys.modules.get(__name__)
__name__ = "_ts_elsewhere"
"""
# What makes classes, or things that are told as classes are.
_MAKERS = frozenset(
    {"namedtuple", "NamedTuple", "TypedDict", "make_dataclass", "new_class", "NewType", "ABCMeta"}
    | {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"}
)


def under_another_name(source: str) -> str:
    """The program as a module of another name; empty where it makes no class.

    Args:
        source: The ground truth's program.
    """
    module = ast.parse(source)
    if not any(map(_makes_a_class, ast.walk(module))):
        return ""
    # Its own text and what it takes from the future stand first.
    ahead = int(ast.get_docstring(module, clean=False) is not None)
    while ahead < len(module.body) and _of_the_future(module.body[ahead]):
        ahead += 1
    module.body[ahead:ahead] = ast.parse(_ELSEWHERE).body
    return ast.unparse(module)


def _makes_a_class(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return isinstance(node, ast.ClassDef)
    name = last_name(node.func)
    # With one argument it asks for a class.
    return name in _MAKERS or (name == "type" and len(node.args) > 1)


def _of_the_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"
