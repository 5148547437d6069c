"""Mutants of a ground truth: small wrong programs that a suite has to tell from the right one.

All mutants live in one program: every changed place reads `(changed if _ts_M == 7 else original)`, so that one process
runs them all. Operators: comparison and its boundary, arithmetic, boolean connectives and their operands, negation,
constants, returned values, statements left out or run twice, slices, calls that are dropped or replaced by their
counterpart or a near neighbour, arguments swapped, filters dropped, patterns of `match`, classes that an `except`
forgets, loops that go round once, leave out an end, or forget what they carry.

Left out are changes that cannot matter: in the words of an error that nothing which catches it reads, in its guards'
narrowing, in annotations, and where a shape of code makes the change equivalent by itself (`if x > best: best = x` with
`>=`).
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pbt_generator.domain.oracle.driver import driver_of
from pbt_generator.domain.oracle.loading import beside
from pbt_generator.domain.oracle.mutation.equivalence import Prover
from pbt_generator.domain.oracle.mutation.exhaustion import kept_as_given, trackable
from pbt_generator.domain.oracle.mutation.joining import held_kinds
from pbt_generator.domain.oracle.mutation.kept import Kept
from pbt_generator.domain.oracle.mutation.markers import chosen, tick
from pbt_generator.domain.oracle.mutation.misreadings import READING, Misreading, in_words, misreadings
from pbt_generator.domain.oracle.mutation.mutant import Mutant, MutantProgram
from pbt_generator.domain.oracle.mutation.mutator import Mutator
from pbt_generator.domain.oracle.mutation.neighbours import maps_among, measured_as_one, parted
from pbt_generator.domain.oracle.mutation.operators import untouched_parameters
from pbt_generator.domain.oracle.proofs.answering import answers
from pbt_generator.domain.oracle.proofs.catching import Catching
from pbt_generator.domain.oracle.proofs.declared import Declared, Kinds
from pbt_generator.domain.oracle.proofs.reachability import RaisingWays
from pbt_generator.domain.oracle.proofs.unread import checks_alone, of_errors_alone
from pbt_generator.domain.oracle.proofs.unused import unused
from pbt_generator.domain.oracle.syntax import FunctionNode, docstring_first, parsed

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

__all__ = ["Mutant", "MutantProgram", "mutate", "witnesses"]


def mutate(
    source: str,
    entry_point: str,
    given: Kinds | None = None,
    held: Mapping[str, Iterable[object]] | None = None,
    misread: Sequence[Misreading] = (),
) -> MutantProgram:
    """Write the program that holds all mutants of the function `entry_point`.

    Args:
        source: The ground truth's program.
        entry_point: The function's name.
        given: Declared kinds of parameters: the proofs hold for such inputs, which are all that the task has.
        held: Values that parameters had: what these may be taken for are mutants beside the score.
        misread: Misreadings that are written whatever the values are: those of a certificate.
    """
    return _write(source, entry_point, witness=False, given=given, held=held, misread=misread)


def witnesses(source: str, entry_point: str) -> MutantProgram:
    """Write the program that behaves as the original and notes where a mutant would differ."""
    return _write(source, entry_point, witness=True)


def _write(
    source: str,
    entry_point: str,
    *,
    witness: bool,
    given: Kinds | None = None,
    held: Mapping[str, Iterable[object]] | None = None,
    misread: Sequence[Misreading] = (),
) -> MutantProgram:
    module, plain = parsed(source), parsed(source)
    places = [
        place for place, node in enumerate(module.body) if isinstance(node, _FUNCTIONS) and node.name == entry_point
    ]
    writer = Mutator(witness=witness)
    writer.kept = Kept(plain)
    writer.catching = Catching(module)
    writer.above = {id(child): node for node in ast.walk(module) for child in ast.iter_child_nodes(node)}
    written = None
    # What a slice took along is a part of the ground truth.
    around = list(zip(beside(module, entry_point), beside(plain, entry_point), strict=True))
    if places:
        function, written = module.body[places[-1]], plain.body[places[-1]]
        assert isinstance(function, _FUNCTIONS) and isinstance(written, _FUNCTIONS)
        found = Declared(plain, written, given or {})
        _enter(writer, function, given)
        writer.caught = writer.catching.around(function)
        writer.prover, writer.dead_lines = Prover(written, found, plain), found.dead_lines()
        writer.parameters = untouched_parameters(function)
        writer.ways = RaisingWays(module, function)
        writer.answers = answers(module, writer.ways)
        writer.asserts = Catching(module, AssertionError).asserts(writer.ways.swallowing)
        writer.unread, writer.checks = (
            of_errors_alone(module, writer.ways),
            checks_alone(module, writer.ways.swallowing),
        )
        writer.trackable = {
            name: kept_as_given(module, function, name)
            for name in writer.prover.flow.parameters
            if trackable(module, function, name)
        }
        words, body = docstring_first(function.body)
        # A driver is no part of what its author wrote: its mutants would be killed by any case.
        writer.called = True
        function.body = [*words, tick(), *(body if driver_of(written) is not None else writer.statements(body))]
        writer.called = False
    # Only the entry's parameters are those of the inputs.
    writer.parameters, writer.trackable = frozenset(), {}
    dead = frozenset(unused(plain, entry_point).lines)
    for node, same in around:
        _enter(writer, node)
        if written is not None and isinstance(same, ast.FunctionDef):
            writer.prover = Prover(same, None, plain, entry=written)
        writer.dead_lines = dead
        if isinstance(node, ast.Lambda):
            writer.kept_lambda(node)
        else:
            writer.statement(node)
    if places and (misread or held):
        # The last in number: the witness program has the same mutants before them.
        function = module.body[places[-1]]
        assert isinstance(function, _FUNCTIONS)
        function.body[1:1] = _misread(writer, function, misread or misreadings(held or {}))
    module.body += writer.kept_literals()
    ast.fix_missing_locations(module)
    return MutantProgram(ast.unparse(module), tuple(writer.mutants))


def _enter(writer: Mutator, node: FunctionNode | ast.ClassDef | ast.Lambda, given: Kinds | None = None) -> None:
    """Tell a mutator what it has to know of the function that it is about to rewrite, and forget the one before."""
    writer.prover, writer.dead_lines = None, frozenset()
    writer.started, writer.assigned = {}, set()
    writer.given = writer.cut = writer.maps = frozenset()
    writer.held = {}
    if not isinstance(node, ast.ClassDef):
        # Told now: what stands there is rewritten in place.
        single = measured_as_one(node)
        writer.held = held_kinds(node, given)
        writer.given = frozenset(each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)) - single
        writer.cut, writer.maps = _cut(node) - single, maps_among(node)


def _cut(function: FunctionNode | ast.Lambda) -> frozenset[str]:
    """Names that are given the parts of a text, and nothing else."""
    nodes = list(ast.walk(function))
    # Who adds to a list has the same list still.
    added = {id(each.target) for each in nodes if isinstance(each, ast.AugAssign)}
    stored = (each for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store))
    given = Counter(each.id for each in stored if id(each) not in added)
    found: set[str] = set()
    for node in nodes:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if given[name] == 1 and parted(value):
                found.add(name)
            case _:
                pass
    return frozenset(found)


def _misread(writer: Mutator, function: FunctionNode, pairs: Sequence[Misreading]) -> list[ast.stmt]:
    """Statements that take parameters for something else, each behind its mutant."""
    made: list[ast.stmt] = []
    for names, rule in pairs:
        number = writer.new(READING, function, in_words(names, rule), witnessed=False, reading=READING)
        body: list[ast.stmt] = []
        for name in names:
            call = ast.Call(ast.Name("_ts_misread", ast.Load()), [ast.Constant(rule), ast.Name(name, ast.Load())], [])
            body.append(ast.Assign(targets=[ast.Name(name, ast.Store())], value=call))
        made.append(ast.If(test=chosen(number), body=body, orelse=[]))
    return made
