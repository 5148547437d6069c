"""Tries what an author's words offer for a parameter, and what the plainest caller sends: some become cases."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pbt_generator.domain.inputs.inference.offered import is_offered, offered_texts, offered_values, signs_of
from pbt_generator.domain.inputs.inference.signature import Program
from pbt_generator.domain.inputs.ordinary import SIGNS, OrdinaryInputs, is_ordinary, of_every_kind
from pbt_generator.domain.inputs.shapes import InputShape
from pbt_generator.domain.oracle.mutation.kills import diverse
from pbt_generator.domain.oracle.runs import Input, Run
from pbt_generator.domain.task.wording.examples import ALIKE, OFFERED, ORDINARY, OTHER
from pbt_generator.domain.task.wording.suggestions import given
from pbt_generator.usecases.explore import Explorer

# Inputs that returned, into which offered values are put; ordinary inputs that are tried.
_BASES, _TRIED = 3, 40
# What of each becomes a case: with offered values, with others of their form, ordinary, of every kind.
_MOST = (16, 6, 8, 24)


async def with_offered(program: Program, explorer: Explorer) -> None:
    """Run inputs with what words offer before the search, which goes on from those that return."""
    offered = offered_values(program.source, program.entry_point, explorer.shape)
    drawn = OrdinaryInputs(explorer.shape, explorer.sampler, offered, explorer.seed)
    bases = list(explorer.shape.examples[:_BASES])
    await explorer.run([*drawn.of_offered(bases), *drawn.like_offered(bases)] if offered else [])
    places = {each.name: place for place, each in enumerate(explorer.shape.parameters)}
    explorer.offered = frozenset(
        name
        for name, values in offered.items()
        if any(is_offered(run.given[places[name]], values) for run in explorer.found.returned)
    )


async def with_ordinary(program: Program, explorer: Explorer) -> tuple[str, ...]:
    """Run them, and give the texts of those that shall become cases, where they return: offered values first."""
    shape = explorer.shape
    offered = offered_values(program.source, program.entry_point, shape)
    drawn = OrdinaryInputs(shape, explorer.sampler, offered, explorer.seed)
    bases = [run.given for run in diverse(explorer.found.returned, _BASES)]
    kinds: list[Sequence[Input]] = [
        drawn.of_offered(bases),
        drawn.like_offered(bases),
        [*drawn.inputs(_TRIED)],
        of_every_kind(program.tree, shape, bases),
    ]
    await explorer.run([given for inputs in kinds for given in inputs])
    # Its author says that all kinds are right, whatever the body shows.
    explorer.found.admit(explorer.written(kinds[-1]).keys())
    returned = {run.text: run for run in explorer.found.returned if not run.strange}
    wanted: list[Run] = []
    for inputs, most in zip(kinds, _MOST, strict=True):
        wanted += diverse([returned[text] for text in explorer.written(inputs) if text in returned], most)
    return tuple(dict.fromkeys(run.text for run in wanted))


def usualness(program: Program, shape: InputShape, arguments: Sequence[str]) -> list[int]:
    """How usual the input of each case is: the words offer a value in it, or one of that form, or it is ordinary.

    Args:
        program: The ground truth.
        shape: Its parameters.
        arguments: The arguments of each case as a portable text.
    """
    offered = offered_values(program.source, program.entry_point, shape)
    written = (each for each in shape.constants if isinstance(each, str))
    signs = SIGNS + signs_of([*offered_texts(shape, offered), *written])
    names = [each.name for each in shape.parameters]

    def level(text: str) -> int:
        found = OTHER
        for place, value in given(text).items():
            name = names[int(place)] if place.isdecimal() and int(place) < len(names) else place
            told = offered.get(name, ())
            if is_offered(value, told):
                found = min(found, OFFERED if any(type(value) is type(e) and value == e for e in told) else ALIKE)
            elif not is_ordinary(value, signs):
                return OTHER
        return min(found, ORDINARY) if json.loads(text) else OTHER

    return [level(text) for text in arguments]


__all__ = ["usualness", "with_offered", "with_ordinary"]
