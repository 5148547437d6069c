"""The patterns of `match`: what a mutant has in place of one."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from pbt_generator.domain.oracle.mutation.markers import chosen
from pbt_generator.domain.oracle.mutation.operators import near_literals


def other_patterns(pattern: ast.pattern) -> list[ast.pattern]:
    """A pattern with one of its literals changed, and without one of its alternatives.

    Example:
        >>> cases = ast.parse("match x:\\n case [3, y]: pass\\n case 'a' | 'b': pass").body[0].cases
        >>> [ast.unparse(other) for case in cases for other in other_patterns(case.pattern)]
        ['[4, y]', '[2, y]', "'b'", "'a'"]
    """
    found: list[ast.pattern] = []
    match pattern:
        case ast.MatchValue(value=value):
            found += [ast.MatchValue(near) for near in near_literals(value)]
        case ast.MatchOr(patterns=patterns):
            for place in range(len(patterns)):
                rest = [*patterns[:place], *patterns[place + 1 :]]
                found.append(rest[0] if len(rest) == 1 else ast.MatchOr(rest))
        case ast.MatchSequence(patterns=parts) | ast.MatchMapping(patterns=parts):
            for place, part in enumerate(parts):
                for other in other_patterns(part):
                    changed = copy.deepcopy(pattern)
                    changed.patterns[place] = other
                    found.append(changed)
        case ast.MatchAs(pattern=ast.pattern() as inner):
            for other in other_patterns(inner):
                found.append(ast.MatchAs(other, pattern.name))
        case _:
            pass
    return [copy.deepcopy(other) for other in found]


def catches_all(case: ast.match_case) -> bool:
    """Whether a case is entered by everything that comes to it."""
    match case.pattern:
        case ast.MatchAs(pattern=None) if case.guard is None:
            return True
        case _:
            return False


def without(case: ast.match_case, numbers: Sequence[int]) -> ast.match_case:
    """A case that is passed over while one of these mutants runs."""
    if not numbers:
        return case
    others: ast.expr = ast.Compare(
        ast.Name("_ts_M", ast.Load()), [ast.NotIn()], [ast.Tuple([ast.Constant(each) for each in numbers], ast.Load())]
    )
    guard = others if case.guard is None else ast.BoolOp(ast.And(), [others, case.guard])
    return ast.match_case(pattern=case.pattern, guard=guard, body=case.body)


def instead(case: ast.match_case, number: int, pattern: ast.pattern) -> ast.match_case:
    """The case of one mutant: its pattern with what another one decides."""
    mine = chosen(number)
    guard = mine if case.guard is None else ast.BoolOp(ast.And(), [mine, copy.deepcopy(case.guard)])
    return ast.match_case(pattern=pattern, guard=guard, body=copy.deepcopy(case.body))


__all__ = ["catches_all", "instead", "other_patterns", "without"]
