"""Mutants of a ground truth: small wrong programs that a suite has to tell from the right one.

All mutants live in one program: every changed place reads `(changed if _ts_M == 7 else original)`, so that one process
runs them all. Operators: comparison and its boundary, arithmetic, boolean connectives and their operands, negation,
constants, returned values, statements left out or run twice, slices, calls that are dropped or replaced by their
counterpart or a near neighbour, arguments swapped, filters dropped, loops that go round once, leave out an end, or
forget what they carry.

Left out are changes that cannot matter: inside `raise` and its guards' narrowing, in annotations, and where a shape of
code makes the change equivalent by itself (`if x > best: best = x` with `>=`).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from pbt_generator.domain.oracle.mutation.equivalence import Prover
from pbt_generator.domain.oracle.mutation.exhaustion import trackable
from pbt_generator.domain.oracle.mutation.markers import tick
from pbt_generator.domain.oracle.mutation.mutant import Mutant, MutantProgram
from pbt_generator.domain.oracle.mutation.mutator import Mutator
from pbt_generator.domain.oracle.mutation.neighbours import maps_among, measured_as_one
from pbt_generator.domain.oracle.mutation.operators import untouched_parameters
from pbt_generator.domain.oracle.mutation.rounds import filled_once, only_asked
from pbt_generator.domain.oracle.proofs.abstract_values import Value
from pbt_generator.domain.oracle.proofs.interpretation import Interpretation
from pbt_generator.domain.oracle.proofs.reachability import RaisingWays
from pbt_generator.domain.oracle.proofs.weak_orders import literals, only_compares

__all__ = ["Mutant", "MutantProgram", "mutate", "witnesses"]


def mutate(source: str, entry_point: str, given: Mapping[str, Value] | None = None) -> MutantProgram:
    """Write the program that holds all mutants of the function `entry_point`.

    Args:
        source: The ground truth's program.
        entry_point: The function's name.
        given: What is known of parameters: the proofs hold for such inputs, which are all that the task has.
    """
    return _write(source, entry_point, witness=False, given=given)


def witnesses(source: str, entry_point: str) -> MutantProgram:
    """Write the program that behaves as the original and notes where a mutant would differ."""
    return _write(source, entry_point, witness=True)


def _write(source: str, entry_point: str, *, witness: bool, given: Mapping[str, Value] | None = None) -> MutantProgram:
    module = ast.parse(source)
    functions = [
        node
        for node in module.body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == entry_point
    ]
    writer = Mutator(witness=witness)
    writer.above = {id(child): node for node in ast.walk(module) for child in ast.iter_child_nodes(node)}
    if functions:
        plain = ast.parse(source)
        written = plain.body[module.body.index(functions[-1])]
        assert isinstance(written, (ast.FunctionDef, ast.AsyncFunctionDef))
        found = Interpretation(plain, written, given=given)
        writer.prover, writer.dead_lines = Prover(written, found, plain), found.dead_lines()
    for function in functions[-1:]:
        writer.parameters = untouched_parameters(function)
        writer.given = frozenset(node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg))
        writer.asked = only_asked(function)
        writer.single_fills = tuple(f"{name}.insert(0, " for name in sorted(filled_once(function)))
        writer.maps = maps_among(function)
        writer.single = frozenset(filter(None, map(measured_as_one, ast.walk(function))))
        if only_compares(function) and len(module.body) == 1:
            writer.orders = literals([function])
            writer.compared = frozenset(node.id for node in ast.walk(function) if isinstance(node, ast.Name))
            writer.compared |= writer.given
        writer.ways = RaisingWays(module, function)
        writer.trackable = frozenset(name for name in writer.parameters if trackable(module, function, name))
        body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
        function.body = [tick(), *writer.statements(body)]
    # What a slice took along is a part of the ground truth. The proofs know the entry's variables alone.
    writer.parameters, writer.prover, writer.dead_lines = frozenset(), None, frozenset()
    writer.trackable, writer.orders = frozenset(), None
    for node in module.body:
        if node not in functions and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            writer.statement(node)
    ast.fix_missing_locations(module)
    return MutantProgram(ast.unparse(module), tuple(writer.mutants))
