"""What a certificate must state, and whether its own lists make up the figures that it states.

The bounds are this house's: nothing that a certificate says loosens what it is held against.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pbt_generator.domain.oracle.certificate import FLOOR, Weight
from pbt_generator.domain.oracle.mutation.misreadings import READING

# Figures are kept with so many digits.
DIGITS = 4
_WEIGHING = 9
# Since this builder half of the misreadings is half of some, and no less.
_HALVING = 28
_BUILDER = re.compile(r"pbt-(\d+)(?:\+.*)?")
_COUNT, _LIST, _SHARE = "a count", "a list", "a number"
_FORM = {
    "coverage": {"branches": _COUNT, "returning": _COUNT, "raising": _COUNT, "dead": _COUNT, "share": _SHARE},
    "mutation": {
        "mutants": _COUNT, "killed": _COUNT, "proved": _LIST, "survivors": _LIST, "evidence": _LIST, "score": _SHARE,
    },
    "weight": {
        "mutants": _COUNT, "floor": _COUNT, "offered": _LIST, "met": _LIST, "misread": _COUNT, "told_apart": _COUNT,
        "holds": "true or false", "evidence": "a text",
    },
    "": {
        "readings": _LIST, "unreachable": _LIST, "raising_inputs": _LIST, "goals": _COUNT, "goals_reached": _COUNT,
        "score_first_25": _SHARE, "distinct_results": _COUNT, "largest_share": _SHARE,
    },
}  # fmt: skip
_KINDS: dict[str, tuple[type, ...]] = {
    _COUNT: (int,), _LIST: (list,), _SHARE: (int, float), "true or false": (bool,), "a text": (str,),
}  # fmt: skip


def weighs(builder: str) -> bool:
    """Whether a builder's certificates say on what their scores rest: all since `pbt-9` do.

    Example:
        >>> weighs("pbt-8"), weighs("pbt-26+0123456789abcdef"), weighs("another")
        (False, True, True)
    """
    return _is_since(builder, _WEIGHING)


def _is_since(builder: str, number: int) -> bool:
    known = _BUILDER.fullmatch(builder)
    return known is None or int(known[1]) >= number


class WeightBefore(Weight):
    """A weight by the rule of builders up to `pbt-27`: what they certified stays as it is."""

    @property
    def half_told(self) -> bool:
        """Whether half of the misreadings are told apart, of which there need be none."""
        return self.told_apart >= self.misread // 2


def unstated(certificate: Mapping[str, Any]) -> list[str]:
    """What a certificate of a builder that weighs has to state and does not, one line each."""
    problems: list[str] = []
    for part, names in _FORM.items():
        held: object = certificate.get(part) if part else certificate
        if not isinstance(held, Mapping):
            problems.append(f"its certificate does not state {part}")
            continue
        entries = cast("Mapping[str, object]", held)
        for name, kind in names.items():
            path = f"{part}.{name}" if part else name
            if name not in entries:
                problems.append(f"its certificate does not state {path}")
            elif not _is(entries[name], kind):
                problems.append(f"its certificate states {entries[name]!r:.60} for {path}, which is no {kind[2:]}")
    return problems


def _is(value: object, kind: str) -> bool:
    if not isinstance(value, _KINDS[kind]) or (isinstance(value, bool) and kind in (_COUNT, _SHARE)):
        return False
    return not isinstance(value, int | float) or value >= 0


def share_of(coverage: Mapping[str, Any]) -> float:
    """Share of the branches that stand in one of the three ways; 1.0 without branches."""
    stand = coverage["returning"] + coverage["raising"] + coverage["dead"]
    return float(stand / coverage["branches"]) if coverage["branches"] else 1.0


def score_of(mutation: Mapping[str, Any]) -> float:
    """Share of the mutants killed, of those that are not proved; 0.0 where none counts."""
    counted = mutation["mutants"] - len(mutation["proved"])
    return float(mutation["killed"] / counted) if counted > 0 else 0.0


def weight_stated(certificate: Mapping[str, Any]) -> Weight:
    """What a score rests on by the lists of its certificate, under this house's floor, as its builder weighed."""
    mutation, weight = certificate["mutation"], certificate["weight"]
    counted = mutation["mutants"] - len(mutation["proved"])
    readings: Sequence[Mapping[str, Any]] = certificate["readings"] if counted < FLOOR else ()
    misread = [each for each in readings if each["rule"] == READING]
    told = sum(bool(each["told_apart"]) for each in misread)
    kind = Weight if _is_since(str(certificate["builder"]), _HALVING) else WeightBefore
    return kind(counted, FLOOR, tuple(weight["offered"]), tuple(weight["met"]), len(misread), told)


def contradicted(certificate: Mapping[str, Any]) -> list[str]:
    """Where what a certificate lists does not make up what it states, one line each.

    Args:
        certificate: Of a builder that weighs, with all that it has to state.
    """
    coverage, mutation, stated = certificate["coverage"], certificate["mutation"], certificate["weight"]
    weight = weight_stated(certificate)
    problems = [
        f"its certificate states {whole} {name}, and {' + '.join(map(str, parts))} of them in {words}"
        for name, whole, parts, words in (
            (
                "branches", coverage["branches"],
                (coverage["returning"], coverage["raising"], coverage["dead"]), "returning, raising and dead",
            ),
            (
                "mutants", mutation["mutants"],
                (mutation["killed"], len(mutation["proved"]), len(mutation["survivors"])),
                "killed, proved and survivors",
            ),
        )
        if sum(parts) != whole
    ]  # fmt: skip
    made: dict[str, tuple[object, object]] = {
        "coverage.share": (coverage["share"], round(share_of(coverage), DIGITS)),
        "mutation.score": (mutation["score"], round(score_of(mutation), DIGITS)),
        **{
            f"weight.{name}": (stated[name], getattr(weight, name))
            for name in ("mutants", "floor", "misread", "told_apart", "holds", "evidence")
        },
    }
    problems += [
        f"{name} is {real!r} by what its certificate lists, and it states {said!r}"
        for name, (said, real) in made.items()
        if said != real
    ]
    most = {"goals_reached": certificate["goals"], "score_first_25": 1, "largest_share": 1}
    problems += [
        f"its certificate states {certificate[name]!r} for {name}, of at most {whole}"
        for name, whole in most.items()
        if certificate[name] > whole
    ]
    if len(certificate["unreachable"]) < coverage["dead"]:
        problems.append(
            f"its certificate states {coverage['dead']} dead branches, and proves {len(certificate['unreachable'])}"
        )
    return problems if weight.holds else [*problems, f"what its score rests on does not suffice: {weight.words}"]
