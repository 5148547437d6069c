"""The driver of a class: the function that makes one object, calls operations by name, and lists what they give.

The ingester writes it behind the class (`form: sequence`). It is told by its text, so that whoever has the ground truth
alone knows it too: nothing of it is a mutant, since every one of them would be killed by any case.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from pbt_generator.domain.oracle.syntax import FunctionNode, functions_of


class DrivenOperation(NamedTuple):
    """What is called under a name: the attribute of the object, and whether it is a property."""

    name: str
    attribute: str
    is_property: bool


class Driver(NamedTuple):
    """A driver.

    Attributes:
        class_name: The class that it makes an object of.
        parameter: The parameter that takes the operations.
        operations: What may be called, in the order of the class.
    """

    class_name: str
    parameter: str
    operations: tuple[DrivenOperation, ...]


def driver_of(function: FunctionNode) -> Driver | None:
    """What a driver drives; None for any other function.

    Example:
        >>> text = '''
        ... def f(operations, limit):
        ...     driven = Box(limit)
        ...     methods = {"put": driven.put, "size": lambda: driven.size}
        ...     return [deepcopy(methods[name](*given)) for name, *given in operations]
        ... '''
        >>> driver_of(ast.parse(text).body[0])
        Driver(class_name='Box', parameter='operations', operations=(DrivenOperation(name='put', attribute='put', \
is_property=False), DrivenOperation(name='size', attribute='size', is_property=True)))
    """
    match function.body:
        case [
            ast.Assign(targets=[ast.Name(id=driven)], value=ast.Call(func=ast.Name(id=class_name))),
            ast.Assign(targets=[ast.Name(id=methods)], value=ast.Dict(keys=keys, values=values)),
            ast.Return(value=ast.ListComp(elt=made, generators=[ast.comprehension(iter=ast.Name(id=given), ifs=[])])),
        ] if ast.unparse(made) == f"deepcopy({methods}[name](*given))":
            found = [_operation(key, value, driven) for key, value in zip(keys, values, strict=True)]
            operations = tuple(each for each in found if each is not None)
            return Driver(class_name, given, operations) if len(operations) == len(found) else None
        case _:
            return None


def _operation(key: ast.expr | None, value: ast.expr, driven: str) -> DrivenOperation | None:
    match key, value:
        case ast.Constant(value=str(name)), ast.Attribute(value=ast.Name(id=owner), attr=attribute) if owner == driven:
            return DrivenOperation(name, attribute, False)
        case (
            ast.Constant(value=str(name)),
            ast.Lambda(body=ast.Attribute(value=ast.Name(id=owner), attr=attribute)),
        ) if owner == driven:
            return DrivenOperation(name, attribute, True)
        case (
            ast.Constant(value=str(name)),
            ast.Lambda(
                body=ast.Subscript(
                    value=ast.Tuple(elts=[ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=attribute)), _])
                )
            ),
        ) if owner == driven:
            # What gives its object gives nothing.
            return DrivenOperation(name, attribute, False)
        case _:
            return None


def methods_of(module: ast.Module, class_name: str) -> dict[str, FunctionNode]:
    """The functions of a class and of its bases in the program, those of the class before those of its bases."""
    classes = {node.name: node for node in module.body if isinstance(node, ast.ClassDef)}
    found: dict[str, FunctionNode] = {}
    waiting, seen = [class_name], set[str]()
    while waiting:
        node = classes.get(waiting.pop(0))
        if node is None or node.name in seen:
            continue
        seen.add(node.name)
        for inner in functions_of(node):
            found.setdefault(inner.name, inner)
        waiting += [base.id for base in node.bases if isinstance(base, ast.Name)]
    return found
