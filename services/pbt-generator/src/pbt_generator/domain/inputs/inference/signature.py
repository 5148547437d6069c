"""Joins everything that is said about a function's parameters into one `InputShape`.

Declarations come first (annotation, then docstring), use fills in what they leave open (`list[dict]` gets the keys
that the body reads), the default value and the parameter's name speak last.
"""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass, replace

from pbt_generator.domain.inputs.inference.aliases import own_meanings, spell_out
from pbt_generator.domain.inputs.inference.annotations import shape_of_annotation, shape_of_words
from pbt_generator.domain.inputs.inference.choosing import chosen
from pbt_generator.domain.inputs.inference.defaults import spell_out_defaults
from pbt_generator.domain.inputs.inference.demands import closed_class
from pbt_generator.domain.inputs.inference.docstrings import Docstring, read_docstring
from pbt_generator.domain.inputs.inference.facts import Var
from pbt_generator.domain.inputs.inference.real_inputs import real_inputs
from pbt_generator.domain.inputs.inference.refining import compatible, refine
from pbt_generator.domain.inputs.inference.roles import roles_of
from pbt_generator.domain.inputs.inference.usage_calls import ask
from pbt_generator.domain.inputs.inference.usage_shapes import infer_shapes, literal_scalars, modules_of
from pbt_generator.domain.inputs.inference.usage_shapes import shape_of_node as _shape_of_node
from pbt_generator.domain.inputs.inference.usage_tables import NAME_KINDS
from pbt_generator.domain.inputs.shapes import (
    AnyShape,
    BoolShape,
    FloatShape,
    InputShape,
    IntShape,
    LibraryShape,
    ListShape,
    MapShape,
    NoneShape,
    OpaqueShape,
    ParameterShape,
    Scalar,
    SetShape,
    Shape,
    TextShape,
    TupleShape,
    UnionShape,
    VariadicTupleShape,
    contains_any,
    has_literal,
    options_of,
    union,
)
from pbt_generator.domain.inputs.traced import TracedCall
from pbt_generator.domain.oracle.syntax import NO_LITERAL, FunctionNode, named_parameters, placed_parameters

_MISSING = object()
# Literals that stand beside a function and are worth trying.
_BESIDE = 40


@dataclass(frozen=True)
class Program:
    """A function that can stand alone: its source, the imports it needs, and where to enter.

    Attributes:
        source: imports and code, ready to run.
        entry_point: name to call.
        tree: the function's syntax tree, without its docstring's influence; the program's own names are spelt out in
            annotations of its parameters.
        modules: names bound by the imports.
        docstring: its docstring, taken apart.
        helpers: the other functions at the top level: what a slice took along.
        calls: how callers call it, as source texts.
        traced: how it was called while its package's tests ran.
    """

    source: str
    entry_point: str
    tree: FunctionNode
    modules: dict[str, str]
    docstring: Docstring
    helpers: tuple[FunctionNode, ...] = ()
    calls: tuple[str, ...] = ()
    traced: tuple[TracedCall, ...] = ()


class UnreadableProgramError(ValueError):
    """The source cannot be parsed, or holds no such function."""


def read_program(
    code: str,
    imports: tuple[str, ...],
    name: str,
    calls: tuple[str, ...] = (),
    traced: tuple[TracedCall, ...] = (),
) -> Program:
    """Parse a function that was extracted.

    Args:
        code: Dedented source text of the function.
        imports: Import statements that it needs.
        name: The function's own name.
        calls: How callers call it, as source texts with literal arguments.
        traced: How it was called while its package's tests ran.

    Raises:
        UnreadableProgramError: the text does not parse, or the function is not at its top level.
    """
    source = "\n".join((*imports, "", code.strip("\n"), "")).lstrip("\n")
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UnreadableProgramError(f"the source does not parse: {error}") from error
    found = [
        node for node in module.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name
    ]
    if not found:
        raise UnreadableProgramError(f"the source defines no function {name} at its top level")
    tree = found[-1]
    helpers = tuple(
        node for node in module.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node not in found
    )
    meanings = own_meanings(module)
    for each in (tree, *helpers):
        spell_out(each, meanings)
    spell_out_defaults(tree.args, module)
    docstring = read_docstring(ast.get_docstring(tree, clean=False) or "")
    return Program(source, name, tree, modules_of(imports), docstring, helpers, calls, traced)


def input_shape(program: Program) -> InputShape:
    """The shape of a function's inputs, from everything that is known without running it."""
    tree, docs = program.tree, program.docstring
    used = through_helpers(program, infer_shapes(tree, program.modules))
    written = [value for each in (tree, *program.helpers) for value in body_constants(each)]
    constants = literal_scalars([*written, *beside_constants(program)])
    parameters: list[ParameterShape] = []
    arguments = tree.args
    placed = placed_parameters(arguments)
    roles = roles_of(tree)
    called = {
        each.arg for each in named_parameters(arguments) if each.arg in roles.called and _takes_no_data(each, docs)
    }
    while placed and arguments.vararg is None and _does_without(*placed[-1], called):
        # A class or a function: no data takes its place, and the function does without.
        placed.pop()
    for argument, default in placed:
        parameters.append(_parameter(argument, default, used, docs))
    if arguments.vararg is not None:
        inner = used.get(arguments.vararg.arg, AnyShape())
        element = inner.element if isinstance(inner, ListShape) else AnyShape()
        declared = _declared(arguments.vararg, docs)
        shape = _filled(element if isinstance(declared, AnyShape) else refine(declared, element), arguments.vararg.arg)
        parameters.append(ParameterShape(arguments.vararg.arg, shape, variadic=True))
    by_place = takes_places_alone(arguments)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if _does_without(argument, default, called) or (by_place and default is not None):
            continue
        parameters.append(replace(_parameter(argument, default, used, docs), keyword_only=True))
    shape = InputShape(tuple(parameters), constants)
    calls = (*program.calls, *docs.calls, *docs.mentioned)
    shape = replace(shape, examples=tuple(real_inputs(program.traced, calls, program.entry_point, shape)))
    return chosen(shape, declared_shapes(program), named_shape, roles)


def _does_without(argument: ast.arg, default: ast.expr | None, called: set[str]) -> bool:
    """Whether no data can be given for a parameter that has a default.

    The default is code, the body calls it, it is declared as an object that no data makes, or its name says that it is
    the function's own affair.
    """
    own = argument.arg.startswith("_") or argument.arg in called or bool(closed_class(argument))
    return _is_code(default) or (default is not None and own)


def _takes_no_data(argument: ast.arg, docs: Docstring) -> bool:
    return all(isinstance(each, AnyShape | OpaqueShape | NoneShape) for each in options_of(_declared(argument, docs)))


def takes_places_alone(arguments: ast.arguments) -> bool:
    """Whether some argument can only be given by its place: a case gives all by places or all by names.

    Parameters that are given by name then stay at their defaults.
    """
    return arguments.vararg is not None or bool(arguments.posonlyargs)


def declared_shapes(program: Program) -> dict[str, tuple[Shape, str]]:
    """Kinds of the parameters that declare them, each with what declares it: "annotation" or "documentation"."""
    found: dict[str, tuple[Shape, str]] = {}
    arguments = program.tree.args
    listed = [*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs]
    for argument in (each for each in listed if each is not None):
        shape = _declared(argument, program.docstring)
        if not any(isinstance(option, AnyShape | OpaqueShape) for option in options_of(shape)):
            annotated = argument.annotation is not None and not isinstance(
                shape_of_annotation(ast.unparse(argument.annotation)), AnyShape
            )
            found[argument.arg] = (shape, "annotation" if annotated else "documentation")
    return found


def through_helpers(program: Program, used: dict[str, Shape], depth: int = 2) -> dict[str, Shape]:
    """What a function's uses leave open, from the helpers that it hands its parameters to.

    Args:
        program: The function and its helpers.
        used: The shapes that its own uses show.
        depth: How many calls deep is looked.
    """
    helpers = {helper.name: helper for helper in program.helpers}
    result = dict(used)
    for call in ast.walk(program.tree):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in helpers):
            continue
        helper = helpers[call.func.id]
        names = [each.arg for each in (*helper.args.posonlyargs, *helper.args.args)]
        handed = [*zip(names, call.args, strict=False), *((each.arg or "", each.value) for each in call.keywords)]
        wanted = {
            name: value.id
            for name, value in handed
            if isinstance(value, ast.Name) and isinstance(result.get(value.id), AnyShape)
        }
        if not wanted or depth == 0:
            continue
        inner = replace(program, tree=helper)
        shapes = through_helpers(inner, infer_shapes(helper, program.modules), depth - 1)
        declared = {each.arg: shape_of_annotation(ast.unparse(each.annotation)) for each in ast.walk(helper.args)
                    if isinstance(each, ast.arg) and each.annotation is not None}  # fmt: skip
        for name, own in wanted.items():
            result[own] = refine(declared.get(name, AnyShape()), shapes.get(name, AnyShape()))
    return result


def _parameter(argument: ast.arg, default: ast.expr | None, used: dict[str, Shape], docs: Docstring) -> ParameterShape:
    name = argument.arg
    declared = _declared(argument, docs)
    inferred = used.get(name, AnyShape())
    shape = refine(declared, inferred)
    value = _default(default)
    if value is not _MISSING:
        shape = shape_of_value(value) if closed_class(argument) else _with_default(shape, value)
    certain = not isinstance(declared, (AnyShape, OpaqueShape)) or not contains_any(inferred)
    return ParameterShape(name, _filled(shape, name), default=(value,) if has_literal(value) else (), certain=certain)


def _declared(argument: ast.arg, docs: Docstring) -> Shape:
    annotation = ast.unparse(argument.annotation) if argument.annotation is not None else ""
    shape = shape_of_annotation(annotation)
    words = docs.types.get(argument.arg, "")
    if isinstance(shape, AnyShape) and words:
        return shape_of_words(words)
    if isinstance(shape, (ListShape, MapShape, LibraryShape, VariadicTupleShape)) and words and contains_any(shape):
        return refine(shape, shape_of_words(words))
    return shape


def _default(node: ast.expr | None) -> object:
    if node is None:
        return _MISSING
    try:
        return ast.literal_eval(node)
    except NO_LITERAL:
        return _MISSING


def _is_code(node: ast.expr | None) -> bool:
    """Whether a default is a function, a pattern, a class, a method of a class, or several of them."""
    match node:
        case ast.Lambda():
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr="compile")):
            return True
        case ast.Name(id=name):
            return callable(getattr(builtins, name, None))
        case ast.Attribute(value=ast.Name(id=name)):
            return isinstance(getattr(builtins, name, None), type)
        case ast.Tuple(elts=items):
            return bool(items) and all(_is_code(item) for item in items)
        case _:
            return False


def _with_default(shape: Shape, value: object) -> Shape:
    """Let a default value say what it can: None makes the parameter optional, another value names a kind."""
    kind = shape_of_value(value)
    if isinstance(shape, (AnyShape, OpaqueShape)) and value is not None:
        return kind
    if isinstance(shape, (AnyShape, OpaqueShape)):
        return union(shape, NoneShape())
    if any(compatible(option, kind) for option in options_of(shape)):
        return refine(shape, kind)
    return union(shape, kind)


def shape_of_value(value: object) -> Shape:
    """The narrowest shape of a literal, with the value as a hint."""
    match value:
        case None:
            return NoneShape()
        case bool():
            return BoolShape()
        case int():
            return IntShape(hints=(value,))
        case float():
            return FloatShape(hints=(value,))
        case str():
            return (
                TextShape(hints=(value,))
                if len(value) > 3
                else TextShape(hints=(value,), tokens=(value,) if value else ())
            )
        case tuple():
            return TupleShape(tuple(shape_of_value(item) for item in value))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        case list():
            return ListShape(union(*(shape_of_value(item) for item in value)) if value else AnyShape())  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        case dict():
            return MapShape(TextShape(), AnyShape())
        case set() | frozenset():
            return SetShape(UnionShape((TextShape(), IntShape())))
        case _:
            return AnyShape()


def _filled(shape: Shape, name: str) -> Shape:
    """Let the parameter's name speak where nothing else did."""
    if isinstance(shape, AnyShape):
        return named_shape(name)
    if isinstance(shape, UnionShape) and any(isinstance(option, AnyShape) for option in shape.options):
        known = [option for option in shape.options if not isinstance(option, AnyShape)]
        return union(named_shape(name), *known)
    vague = (
        isinstance(shape, UnionShape)
        and not shape.checked
        and {type(option) for option in shape.options} == {ListShape, TextShape}
    )
    plural = (name.endswith("s") and not name.endswith("ss") and len(name) > 2) or name.endswith(("_list", "_lst"))
    if vague and plural:
        return _filled(next(option for option in options_of(shape) if isinstance(option, ListShape)), name)
    if isinstance(shape, ListShape) and isinstance(shape.element, AnyShape):
        singular = name[:-1] if name.endswith("s") and len(name) > 2 else ""
        inner = named_shape(singular) if singular else AnyShape()
        by_name = named_shape(name)
        if isinstance(by_name, ListShape) and not isinstance(by_name.element, AnyShape):
            inner = by_name.element
        return replace(shape, element=inner)
    return shape


def named_shape(name: str) -> Shape:
    """What a parameter's name alone suggests."""
    lowered = name.lower().strip("_")
    words = lowered.split("_")
    if words[0] in {
        "is",
        "has",
        "use",
        "should",
        "allow",
        "include",
        "enable",
        "with",
        "do",
        "skip",
        "no",
        "keep",
        "show",
    }:
        return BoolShape()
    if words[0] in {"num", "n", "max", "min", "total"} and len(words) > 1 and "str" not in words:
        return IntShape()
    if words[-1] in {"list", "array", "arr"} and len(words) > 1:
        return ListShape(named_shape("_".join(words[:-1])))
    for key in (lowered, "_".join(words[-2:]), words[-1]):
        kind = NAME_KINDS.get(key)
        if kind:
            return _shape_of_kind(kind)
    if lowered.endswith("s") and len(lowered) > 3:
        inner = named_shape(lowered[:-1])
        if not isinstance(inner, (AnyShape, ListShape)):
            return ListShape(inner)
    return AnyShape()


def _shape_of_kind(kind: str) -> Shape:
    if kind.endswith(":pair"):
        return ListShape(TupleShape((IntShape(), IntShape())))
    node = Var()
    ask(node, kind)
    return _shape_of_node(node)


def body_constants(tree: FunctionNode) -> tuple[Scalar, ...]:
    """The literals of a function's body, docstrings and annotations left out."""
    found: list[Scalar] = []
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            annotations = [argument.annotation for argument in ast.walk(node.args) if isinstance(argument, ast.arg)]
            for part in (node.returns, *annotations, *node.decorator_list):
                if part is not None:
                    skipped.update(id(inner) for inner in ast.walk(part))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in skipped:
            value = node.value
            if isinstance(value, (str, int, float, bytes)) and not isinstance(value, bool) and value != "":
                found.append(value)
    return literal_scalars(found)


def beside_constants(program: Program) -> list[Scalar]:
    """Literals of what stands beside the functions of a program: tables, patterns, marks; so many, evenly spread."""
    found: list[Scalar] = []
    for node in ast.parse(program.source).body:
        value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
        parts = ast.walk(value) if value is not None else ()
        for held in (part.value for part in parts if isinstance(part, ast.Constant)):
            if isinstance(held, (str, int, float)) and not isinstance(held, bool) and held != "":
                found.append(held)
    step = max(1.0, len(found) / _BESIDE)
    return [found[int(place * step)] for place in range(min(len(found), _BESIDE))]
