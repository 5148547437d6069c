"""Objects of which a function reads nothing but attributes, as maps: data that five languages have.

`problem.line` becomes `problem['line']` in the ground truth; the task is about such maps, and its certificate names the
parameters. Left alone is every function in which the two could differ: where the object itself goes anywhere, a method
is called, an attribute is written, or an error could be caught.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from pbt_generator.domain.inputs.inference.demands import DATA_NAMES
from pbt_generator.domain.inputs.inference.signature import Program
from pbt_generator.domain.oracle.syntax import FunctionNode, named_parameters, parameter_names

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_CATCHING = (ast.Try, ast.TryStar, ast.With, ast.AsyncWith)


def with_maps_for_objects(program: Program) -> tuple[Program, tuple[str, ...]]:
    """The program with maps where it reads attributes of parameters, and the names of these parameters.

    Args:
        program: A function that stands alone.
    """
    names = tuple(each for each in parameter_names(program.tree) if _only_read(program.tree, each))
    if not names:
        return program, ()
    module, place = _parsed(program.source, program.entry_point)
    tree = module.body[place]
    assert isinstance(tree, _FUNCTIONS)
    for argument in named_parameters(tree.args):
        if argument.arg in names:
            argument.annotation = None
    tree.body = [_Entries(frozenset(names)).visit(statement) for statement in tree.body]
    source = ast.unparse(ast.fix_missing_locations(module)) + "\n"
    written, _ = _parsed(source, program.entry_point)
    entry = written.body[place]
    assert isinstance(entry, _FUNCTIONS)
    helpers = tuple(node for node in written.body if isinstance(node, _FUNCTIONS) and node.name != program.entry_point)
    types = {name: words for name, words in program.docstring.types.items() if name not in names}
    docstring = replace(program.docstring, types=types)
    return replace(program, source=source, tree=entry, helpers=helpers, docstring=docstring), names


def _parsed(source: str, entry_point: str) -> tuple[ast.Module, int]:
    """A program, and the place of its entry: the last function of that name."""
    module = ast.parse(source)
    places = [at for at, node in enumerate(module.body) if isinstance(node, _FUNCTIONS) and node.name == entry_point]
    return module, places[-1]


def _only_read(tree: FunctionNode, name: str) -> bool:
    """Whether a function reads plain attributes of a parameter that no data has, and does nothing else with it."""
    nodes = [node for statement in tree.body for node in ast.walk(statement)]
    if any(isinstance(node, _CATCHING) or (isinstance(node, ast.arg) and node.arg == name) for node in nodes):
        return False
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    uses = {id(node) for node in nodes if isinstance(node, ast.Name) and node.id == name}
    read = [node for node in nodes if isinstance(node, ast.Attribute) and id(node.value) in uses]
    plain = all(
        isinstance(node.ctx, ast.Load) and id(node) not in called and not node.attr.startswith("_") for node in read
    )
    return plain and len(read) == len(uses) and any(node.attr not in DATA_NAMES for node in read)


class _Entries(ast.NodeTransformer):
    def __init__(self, names: frozenset[str]) -> None:
        self.names = names

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name) and node.value.id in self.names:
            return ast.Subscript(node.value, ast.Constant(node.attr), ast.Load())
        self.generic_visit(node)
        return node


__all__ = ["with_maps_for_objects"]
