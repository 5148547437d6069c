"""States of the abstract walk where ways meet, and where a loop comes round."""

from __future__ import annotations

from collections.abc import Sequence

from pbt_generator.domain.oracle.proofs.abstract_values import ANY, joined, widened
from pbt_generator.domain.oracle.proofs.evaluation import State


def merged(*states: State) -> State:
    """What holds in each of some states."""
    first, *rest = states
    if not rest:
        return dict(first)
    names = set(first)
    for state in rest:
        names &= set(state)
    return {name: joined(*(state[name] for state in states)) for name in sorted(names)}


def after_round(head: State, ends: Sequence[State], turn: int) -> State:
    """The state at a loop's head after one more round."""
    if not ends:
        return head
    new = merged(head, *ends)
    if turn < 3:
        return new
    if turn > 7:
        return {name: value if new[name] == head.get(name) else ANY for name, value in new.items()}
    return {name: widened(head[name], value) if name in head else ANY for name, value in new.items()}
