"""The domain of a function's inputs: what callers may send, each thing with the source that says so.

What lies outside is no case of a suite, whatever the ground truth happens to do with it: a declaration, a documented
range and the name of a field are not overruled by a call that does not raise.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, cast

from pbt_generator.domain.inputs.domains.asked import asked_kinds
from pbt_generator.domain.inputs.domains.limits import Limits, counted, in_guards, in_words, named, narrower
from pbt_generator.domain.inputs.fitting import fits, sent
from pbt_generator.domain.inputs.inference.roles import roles_of
from pbt_generator.domain.inputs.inference.signature import Program, declared_shapes, shape_of_value
from pbt_generator.domain.inputs.shapes import (
    OCTET,
    AnyShape,
    FloatShape,
    InputShape,
    IntShape,
    ListShape,
    LiteralShape,
    NoneShape,
    ParameterShape,
    Shape,
    UnionShape,
    mapped,
    options_of,
    shared_kinds,
    union,
)
from pbt_generator.domain.oracle.runs import Input
from pbt_generator.domain.oracle.syntax import NO_LITERAL, FunctionNode

Source = Literal["annotation", "documentation", "guard", "default", "call", "usage", "inferred"]

# Texts that stand for numbers beyond what anybody writes: numerals with an exponent of three digits, or very long.
_NUMERAL = re.compile(r"\s*[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE](?P<exponent>[-+]?\d+))?\s*")
_LARGEST_EXPONENT = 30
_LONGEST_NUMERAL = 40


@dataclass(frozen=True)
class Clause:
    """One thing that is known of a parameter's kind, limits or single values, and where from."""

    text: str
    source: Source
    about: Literal["kind", "limit", "value"] = "kind"


@dataclass(frozen=True)
class ParameterDomain:
    """What callers may send for one parameter.

    Attributes:
        name: The parameter.
        kinds: Kinds that a declaration names, or that the body itself asks for beside them; None where nothing is
            declared.
        limits: Ranges, choices, lengths.
        default: The default value, wrapped; it is always inside.
        clauses: What is known, with its source.
    """

    name: str
    kinds: Shape | None = None
    limits: Limits = field(default_factory=Limits)
    default: tuple[object, ...] = ()
    clauses: tuple[Clause, ...] = ()

    def holds(self, value: object) -> bool:
        """Whether a caller may send this value."""
        if self.default and type(value) is type(self.default[0]) and value == self.default[0]:
            return True
        if isinstance(value, str) and not _plain_numeral(value):
            return False
        if self.kinds == ListShape(OCTET) and not _octets(value):
            return False
        return (self.kinds is None or fits(value, self.kinds)) and self.limits.hold(value)

    @property
    def sources(self) -> tuple[Source, ...]:
        """Where what is known comes from, without doubles."""
        return tuple(dict.fromkeys(clause.source for clause in self.clauses))


@dataclass(frozen=True)
class InputDomain:
    """The domains of all parameters, in order; `variadic` is the place of `*args`, or -1."""

    parameters: tuple[ParameterDomain, ...] = ()
    variadic: int = -1

    def holds(self, given: Input) -> bool:
        """Whether a caller may send these arguments."""
        for place, (domain, value) in enumerate(zip(self.parameters, given, strict=True)):
            values = sent(value, variadic=place == self.variadic)
            if values is None or not all(map(domain.holds, values)):
                return False
        return True

    @property
    def declared(self) -> frozenset[str]:
        """Parameters whose kinds are declared."""
        return frozenset(each.name for each in self.parameters if each.kinds is not None)

    def to_dict(self) -> dict[str, list[dict[str, str]]]:
        """The clauses of every parameter, as data."""
        return {
            each.name: [
                {"text": clause.text, "source": clause.source, "about": clause.about} for clause in each.clauses
            ]
            for each in self.parameters
        }


def _octets(value: object) -> bool:
    """Whether all members of a list can be bytes."""
    members = cast("list[object]", value) if isinstance(value, list) else []
    return all(isinstance(member, int) and 0 <= member <= 255 for member in members)


def _plain_numeral(text: str) -> bool:
    """False for a numeral that no caller writes, such as `7e3429`."""
    found = _NUMERAL.fullmatch(text)
    if found is None:
        return True
    return len(text) <= _LONGEST_NUMERAL and abs(int(found["exponent"] or 0)) <= _LARGEST_EXPONENT


def input_domain(program: Program, shape: InputShape, *, portable: bool = False) -> InputDomain:
    """What callers may send, from declarations, documentation, guards, defaults, real calls, use and names.

    Args:
        program: The function.
        shape: What is known of its inputs before it is run.
        portable: Sets are lists, and bytes do not occur: the kinds of five languages.
    """
    guards = in_guards(program.tree)
    declared = declared_shapes(program)
    called = roles_of(program.tree).called
    compared = _compared_constants(program.tree)
    found: list[ParameterDomain] = []
    for place, parameter in enumerate(shape.parameters):
        real = [given[place] for given in shape.examples]
        if parameter.variadic:
            real = [value for values in real for value in cast("tuple[object, ...]", values)]
        kinds, source = declared.get(parameter.name, (AnyShape(), "annotation"))
        if parameter.name in called and parameter.default and parameter.name not in declared and not real:
            # No data can be called, and what happens not to be called is none that a caller sends.
            kinds, source = shape_of_value(parameter.default[0]), "usage"
        found.append(
            _domain(
                parameter,
                shared_kinds(kinds) if portable else kinds,
                cast("Source", source),
                program.docstring.words.get(parameter.name, ""),
                guards.get(parameter.name, Limits()),
                real,
                compared.get(parameter.name, ()),
                asked_kinds(program.tree, parameter.name, kinds),
            )
        )
    variadic = next((place for place, each in enumerate(shape.parameters) if each.variadic), -1)
    return InputDomain(tuple(found), variadic)


def _domain(
    parameter: ParameterShape,
    declared: Shape,
    source: Source,
    words: str,
    guarded: Limits,
    real: Sequence[object],
    compared: Sequence[float],
    beside: Sequence[Shape],
) -> ParameterDomain:
    clauses: list[Clause] = []
    kinds: Shape | None = None
    options = options_of(parameter.shape)
    if not isinstance(declared, AnyShape) and not any(isinstance(each, AnyShape) for each in options_of(declared)):
        kinds = declared
        clauses.append(Clause(kind_words(declared), source))
        if parameter.default and not fits(parameter.default[0], kinds):
            kinds = union(kinds, shape_of_value(parameter.default[0]))
        checked = isinstance(parameter.shape, UnionShape) and parameter.shape.checked
        asked = [*(each for each in options if checked or isinstance(each, NoneShape)), *beside]
        added: list[Shape] = []
        for each in asked:
            if not any(_same_kind(each, own) for own in (*options_of(kinds), *added)):
                added.append(each)
        if added:
            clauses.append(Clause("the body asks for " + " or ".join(map(kind_words, added)), "usage"))
            kinds = union(kinds, *added)
    if parameter.default:
        clauses.append(Clause(f"default {parameter.default[0]!r}"[:80], "default", "value"))
    limits = Limits(choices=tuple(declared.values)) if isinstance(declared, LiteralShape) else Limits()
    # A body that asks about zero, or less, knows of counts below none.
    count = Limits() if any(each <= 0 for each in compared) else counted(words)
    for stated, origin in ((narrower(in_words(words), count), "documentation"), (guarded, "guard")):
        # What callers really send, and what the author's own default is, shows that a sentence was read wrongly.
        if stated.known and all(map(stated.hold, (*real, *parameter.default))):
            limits = narrower(limits, stated)
            clauses.append(Clause(stated.words, cast("Source", origin), "limit"))
    if real:
        clauses.append(Clause(_called(real), "call", "value"))
    by_name = named(parameter.name)
    numeric = any(isinstance(each, IntShape | FloatShape) for each in options)
    inside = all(map(by_name.hold, (*real, *parameter.default, *compared)))
    if by_name.known and numeric and inside and not math.isfinite(limits.low) and not math.isfinite(limits.high):
        limits = narrower(limits, by_name)
        clauses.append(Clause(f"{by_name.words}, by its name", "inferred", "limit"))
    if kinds is None and not real:
        known = not any(isinstance(each, AnyShape) for each in options)
        clauses.append(Clause(kind_words(parameter.shape), "usage" if known and parameter.certain else "inferred"))
    return ParameterDomain(parameter.name, kinds, limits, parameter.default, tuple(clauses))


def opened(domain: InputDomain) -> InputDomain:
    """A domain that leaves everything in, and says so: for one in which nothing lies that is accepted."""
    left = Clause("what is declared leaves no input: anything that is accepted", "inferred")
    parameters = [ParameterDomain(each.name, default=each.default, clauses=(left,)) for each in domain.parameters]
    return InputDomain(tuple(parameters), domain.variadic)


def limited(shape: InputShape, domain: InputDomain) -> InputShape:
    """The shapes with the limits of the domain in them: numbers are drawn inside, choices are drawn alone."""
    parameters = tuple(
        replace(parameter, shape=mapped(parameter.shape, lambda part, own=own: _limited(part, own.limits)))
        if own.limits.known and not parameter.variadic
        else parameter
        for parameter, own in zip(shape.parameters, domain.parameters, strict=True)
    )
    return replace(shape, parameters=parameters)


def _limited(part: Shape, limits: Limits) -> Shape:
    match part:
        case IntShape():
            low = math.floor(limits.low) + 1 if limits.open_low else limits.low
            high = math.ceil(limits.high) - 1 if limits.open_high else limits.high
            least = math.ceil(low) if math.isfinite(low) else part.low
            most = math.floor(high) if math.isfinite(high) else part.high
            if least is not None and most is not None and least > most:
                # No whole number lies between: fractions are meant, or what the program says of itself contradicts.
                return _limited(FloatShape(), limits) if math.isfinite(limits.low + limits.high) else part
            return replace(part, low=least, high=most)
        case FloatShape():
            return replace(
                part,
                low=limits.low if math.isfinite(limits.low) else part.low,
                high=limits.high if math.isfinite(limits.high) else part.high,
            )
        case ListShape() if limits.least:
            return replace(part, min_size=max(part.min_size, limits.least))
        case _:
            return part


def _same_kind(first: Shape, second: Shape) -> bool:
    return type(first) is type(second) and getattr(first, "kind", "") == getattr(second, "kind", "")


def _compared_constants(tree: FunctionNode) -> dict[str, list[float]]:
    """Numbers with which the body compares each name outside of guards: it knows of values around them."""
    found: dict[str, list[float]] = {}
    raised = {
        id(node)
        for test in ast.walk(tree)
        if isinstance(test, ast.If) and isinstance(test.body[0], ast.Raise)
        for node in ast.walk(test.test)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and id(node) not in raised:
            sides = [node.left, *node.comparators]
            names = [each.id for each in sides if isinstance(each, ast.Name)]
            for side in sides:
                try:
                    value: object = ast.literal_eval(side)
                except NO_LITERAL:
                    continue
                if isinstance(value, int | float):
                    for name in names:
                        found.setdefault(name, []).append(value)
    return found


_SHOWN = 3


def _called(real: Sequence[object]) -> str:
    shown = list(dict.fromkeys(text for text in map(repr, real) if len(text) <= 40))[:_SHOWN]
    kinds = sorted({type(value).__name__ for value in real})
    return f"{', '.join(kinds)} in {len(real)} calls" + (f", such as {', '.join(shown)}" if shown else "")


def kind_words(shape: Shape) -> str:
    """A short name of a shape's kinds.

    Example:
        >>> kind_words(UnionShape((ListShape(IntShape()), NoneShape())))
        'list of int or none'
    """
    match shape:
        case UnionShape(options=options):
            return " or ".join(map(kind_words, options))
        case ListShape(element=element):
            return "list" if isinstance(element, AnyShape) else f"list of {kind_words(element)}"
        case _:
            kind = getattr(shape, "kind", "") or type(shape).__name__.removesuffix("Shape")
            return kind.lower()


__all__ = ["Clause", "InputDomain", "ParameterDomain", "Source", "input_domain", "kind_words", "limited", "opened"]
