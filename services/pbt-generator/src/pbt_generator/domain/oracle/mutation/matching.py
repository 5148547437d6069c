"""The patterns of `match` and the classes that `except` names: what a mutant has in place of them."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from pbt_generator.domain.oracle.mutation.markers import chosen, chosen_none, statement_call
from pbt_generator.domain.oracle.mutation.operators import near_literals
from pbt_generator.domain.oracle.proofs.swallowing import builtin_error
from pbt_generator.domain.oracle.syntax import takes_all

_COMPARING = (
    ast.MatchValue, ast.MatchSingleton, ast.MatchOr, ast.Constant, ast.UnaryOp, ast.USub, ast.Attribute, ast.Name,
    ast.Load,
)  # fmt: skip


def other_patterns(pattern: ast.pattern, *, literals: bool = True) -> list[ast.pattern]:
    """A pattern with one of its literals changed, without one of its alternatives, or one part of it not asked for.

    Args:
        pattern: The pattern.
        literals: Whether its literals change. Those of an alternative do not: who sees that it is left out sees more.

    Example:
        >>> cases = ast.parse("match x:\\n case [3, y]: pass\\n case 'a' | 'b': pass\\n case P(None, k=int()): pass")
        >>> [ast.unparse(other) for case in cases.body[0].cases for other in other_patterns(case.pattern)]
        ['[4, y]', '[2, y]', "'b'", "'a'", 'P(_, k=int())', 'P(None, k=_)']
    """
    found: list[ast.pattern] = []
    match pattern:
        case ast.MatchValue(value=value) if literals:
            found += [ast.MatchValue(near) for near in near_literals(value)]
        case ast.MatchSingleton(value=bool() as value) if literals:
            found.append(ast.MatchSingleton(not value))
        case ast.MatchOr(patterns=patterns):
            for place in range(len(patterns)):
                rest = [*patterns[:place], *patterns[place + 1 :]]
                found.append(rest[0] if len(rest) == 1 else ast.MatchOr(rest))
            found += _other_parts(pattern, "patterns", literals=False)
        case ast.MatchSequence() | ast.MatchMapping():
            found += _other_parts(pattern, "patterns", literals=literals)
        case ast.MatchClass():
            for name in ("patterns", "kwd_patterns"):
                found += _other_parts(pattern, name, literals=literals)
        case ast.MatchAs(pattern=ast.pattern() as inner):
            found += [ast.MatchAs(other, pattern.name) for other in other_patterns(inner, literals=literals)]
        case _:
            pass
    if isinstance(pattern, ast.MatchMapping) and literals:
        for place, key in enumerate(pattern.keys):
            for near in near_literals(key)[:1]:
                changed = copy.deepcopy(pattern)
                changed.keys[place] = near
                found.append(changed)
    return [copy.deepcopy(other) for other in found]


def _other_parts(pattern: ast.pattern, name: str, *, literals: bool) -> list[ast.pattern]:
    """A pattern with another one of its parts, each of which may also be anything where it says what it must be."""
    found: list[ast.pattern] = []
    for place, part in enumerate(getattr(pattern, name)):
        others = other_patterns(part, literals=literals)
        # An alternative that takes anything is followed by none.
        alternative = isinstance(pattern, ast.MatchOr)
        if isinstance(part, ast.MatchClass | ast.MatchSingleton) and not (alternative or _binds(part)):
            others.append(ast.MatchAs())
        for other in others:
            changed = copy.deepcopy(pattern)
            getattr(changed, name)[place] = other
            found.append(changed)
    return found


def _binds(pattern: ast.pattern) -> bool:
    for each in ast.walk(pattern):
        match each:
            case ast.MatchAs(name=str()) | ast.MatchStar(name=str()) | ast.MatchMapping(rest=str()):
                return True
            case _:
                pass
    return False


def only_compares(pattern: ast.pattern) -> bool:
    """Whether trying a pattern compares with values and does nothing else: no name is bound, no part is asked for."""
    return all(isinstance(each, _COMPARING) for each in ast.walk(pattern))


def fewer_classes(kinds: Sequence[ast.expr], before: Sequence[ast.expr]) -> list[ast.expr]:
    """What an arm catches, without one of its classes; one that others of it, or arms before it, catch too is kept.

    Args:
        kinds: The classes that the arm names.
        before: Those of the arms before it.

    Example:
        >>> kinds = ast.parse("(IndexError, LookupError, Own)", mode="eval").body.elts
        >>> [ast.unparse(other) for other in fewer_classes(kinds, [])]
        ['(IndexError, Own)', '(IndexError, LookupError)']
    """
    found: list[ast.expr] = []
    for place, kind in enumerate(kinds):
        rest = [*kinds[:place], *kinds[place + 1 :]]
        if rest and not any(_covers(other, kind) for other in (*rest, *before)):
            found.append(ast.Tuple([copy.deepcopy(each) for each in rest], ast.Load()))
    return found


def _covers(kind: ast.expr, other: ast.expr) -> bool:
    """Whether who catches one class catches another one as well."""
    if ast.dump(kind) == ast.dump(other):
        return True
    if not (isinstance(kind, ast.Name) and isinstance(other, ast.Name)):
        return False
    above, below = builtin_error(kind.id), builtin_error(other.id)
    return above is not None and below is not None and issubclass(below, above)


def without(case: ast.match_case, numbers: Sequence[int]) -> ast.match_case:
    """A case that is passed over while one of these mutants runs."""
    others = chosen_none(numbers)
    guard = others if case.guard is None else ast.BoolOp(ast.And(), [others, case.guard])
    return ast.match_case(pattern=case.pattern, guard=guard, body=case.body)


def instead(case: ast.match_case, number: int, pattern: ast.pattern) -> ast.match_case:
    """The case of one mutant: its pattern with what another one decides."""
    mine = chosen(number)
    guard = mine if case.guard is None else ast.BoolOp(ast.And(), [mine, copy.deepcopy(case.guard)])
    return ast.match_case(pattern=pattern, guard=guard, body=copy.deepcopy(case.body))


def numbered(place: int) -> ast.pattern:
    """The pattern of the arm that was chosen by its place."""
    return ast.MatchValue(ast.Constant(place))


def or_none(cases: Sequence[ast.match_case]) -> list[ast.match_case]:
    """Cases that say which arm is entered, and that none is where none of them takes what comes.

    That has to be said last: what is asked before, as by a guard, may go through this or another `match`.
    """
    if cases and takes_all(cases[-1]):
        return list(cases)
    return [*cases, ast.match_case(ast.MatchAs(), None, [statement_call("_ts_arm", -1)])]


__all__ = ["fewer_classes", "instead", "numbered", "only_compares", "or_none", "other_patterns", "without"]
