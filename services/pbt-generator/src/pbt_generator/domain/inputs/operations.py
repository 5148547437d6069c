"""What operations of a class look like as inputs: names with arguments, as each method declares and uses them."""

from __future__ import annotations

import ast
from dataclasses import replace

from pbt_generator.domain.inputs.domains.domain import Clause, InputDomain
from pbt_generator.domain.inputs.inference.aliases import own_meanings, spell_out
from pbt_generator.domain.inputs.inference.docstrings import read_docstring
from pbt_generator.domain.inputs.inference.signature import Program, declared_shapes, input_shape, shape_of_value
from pbt_generator.domain.inputs.shapes import (
    AnyShape,
    InputShape,
    IntShape,
    ListShape,
    OperationShape,
    ParameterShape,
    Shape,
    TextShape,
    contains_any,
    mapped,
    shared_kinds,
    union,
)
from pbt_generator.domain.oracle.driver import DrivenOperation, Driver, driver_of, methods_of
from pbt_generator.domain.oracle.syntax import FunctionNode

_MOST = 10
# An operation is of use where another one is about the same thing: a few texts that begin alike, and small numbers,
# come again.
_FEW_WORDS, _FEW_NUMBERS = ("a", "b", "ab", "abc"), (1, 2, 3)


def with_operations(
    program: Program, shape: InputShape, domain: InputDomain, *, portable: bool
) -> tuple[InputShape, InputDomain]:
    """The inputs of a driver with its operations; those of another function as they are.

    Args:
        program: The function.
        shape: What is known of its parameters by itself.
        domain: What callers may send by that.
        portable: Sets are lists, and bytes do not occur: the kinds of five languages.
    """
    driver = driver_of(program.tree)
    if driver is None:
        return shape, domain
    inferred = _Operations(program, driver)
    drawn, kinds = inferred.operations()
    if portable:
        kinds = shared_kinds(kinds)
    made = {each.name: each for each in inferred.constructor()}
    parameters: list[ParameterShape] = []
    for parameter in shape.parameters:
        known = made.get(parameter.name)
        if parameter.name == driver.parameter:
            parameter = replace(parameter, shape=drawn, certain=True)
        elif known is not None and contains_any(parameter.shape):
            parameter = replace(parameter, shape=known.shape, certain=known.certain)
        if known is not None:
            parameter = replace(parameter, shape=mapped(parameter.shape, _recurring))
        parameters.append(parameter)
    named = ", ".join(operation.name for operation in driver.operations)
    clause = Clause(f"operations {named}", "usage")
    domains = tuple(
        replace(each, kinds=kinds, clauses=(clause,)) if each.name == driver.parameter else each
        for each in domain.parameters
    )
    return replace(shape, parameters=tuple(parameters)), replace(domain, parameters=domains)


class _Operations:
    def __init__(self, program: Program, driver: Driver) -> None:
        self.program = program
        self.driver = driver
        module = ast.parse(program.source)
        self.methods = methods_of(module, driver.class_name)
        meanings = own_meanings(module)
        for method in self.methods.values():
            spell_out(method, meanings)

    def operations(self) -> tuple[Shape, Shape]:
        """Lists of operations to draw, and what is declared of them."""
        found = [self._operation(each) for each in self.driver.operations]
        drawn = union(*(shape for shapes, _ in found for shape in shapes))
        kinds = union(*(shape for _, shapes in found for shape in shapes))
        return ListShape(drawn, 1, _MOST), ListShape(kinds, 1, _MOST)

    def constructor(self) -> tuple[ParameterShape, ...]:
        """What the constructor takes, by its own text and by what the methods do with the fields that it stores."""
        method = self.methods.get("__init__")
        if method is None:
            return ()
        others = [each for name, each in self.methods.items() if name != "__init__"]
        return input_shape(self._alone(method, others)).parameters

    def _operation(self, operation: DrivenOperation) -> tuple[list[Shape], list[Shape]]:
        method = self.methods.get(operation.attribute)
        if method is None or operation.is_property:
            return [OperationShape(operation.name)], [OperationShape(operation.name)]
        alone = self._alone(method, [])
        taken = [each for each in input_shape(alone).parameters if not each.keyword_only and not each.variadic]
        declared = declared_shapes(alone)
        drawn = [mapped(each.shape, _recurring) for each in taken]
        kinds: list[Shape] = []
        for each in taken:
            kind = declared[each.name][0] if each.name in declared else AnyShape()
            kinds.append(union(kind, shape_of_value(each.default[0])) if each.default else kind)
        needed = sum(not each.default for each in taken)
        return [OperationShape(operation.name, tuple(drawn[:count])) for count in sorted({needed, len(drawn)})], [
            OperationShape(operation.name, tuple(kinds[:count])) for count in range(needed, len(drawn) + 1)
        ]

    def _alone(self, method: FunctionNode, others: list[FunctionNode]) -> Program:
        """A method as a function of its arguments; fields are names, and the bodies of others may stand behind."""
        body = [statement for each in (method, *others) for statement in _Fields.free(each)]
        arguments = ast.parse(f"def f({ast.unparse(method.args)}): pass").body[0]
        assert isinstance(arguments, ast.FunctionDef)
        listed = arguments.args
        (listed.posonlyargs or listed.args)[:1] = []
        tree = ast.FunctionDef(method.name, listed, body or [ast.Pass()], [])
        docstring = read_docstring(ast.get_docstring(method, clean=False) or "")
        fixed = ast.fix_missing_locations(tree)
        return replace(self.program, entry_point=method.name, tree=fixed, docstring=docstring, calls=(), traced=())


class _Fields(ast.NodeTransformer):
    """Makes names of the fields of an object."""

    def __init__(self, receiver: str) -> None:
        self.receiver = receiver

    @classmethod
    def free(cls, method: FunctionNode) -> list[ast.stmt]:
        """The body of a method without its object."""
        copied = ast.parse(ast.unparse(method)).body[0]
        assert isinstance(copied, FunctionNode)
        listed = [*copied.args.posonlyargs, *copied.args.args]
        static = any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in copied.decorator_list)
        if not listed or static:
            return copied.body
        return [cls(listed[0].arg).visit(statement) for statement in copied.body]

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """`self.items` is the name `own_items`."""
        if isinstance(node.value, ast.Name) and node.value.id == self.receiver:
            return ast.Name(f"own_{node.attr}", node.ctx)
        self.generic_visit(node)
        return node


def _recurring(part: Shape) -> Shape:
    match part:
        case TextShape(hints=(), tokens=(), patterns=(), formats=(), length=None):
            return replace(part, hints=_FEW_WORDS)
        case IntShape(low=None, high=None, hints=()):
            return replace(part, hints=_FEW_NUMBERS)
        case _:
            return part


__all__ = ["with_operations"]
