"""Which of the inputs that returned become the cases of a suite, and in which order.

Kept are: at least three cases of every branch, boundary and comparison outcome that was reached, several killers of
every mutant, cases of every kind and edge of a value at every place of an input, on every way through the program where
there is room, and then cases spread over results and ways. No result may take more than its share.
The order is by power to tell programs apart: each next case kills the mutants that the earlier ones killed least often.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from pbt_generator.domain.oracle.edges import features_of
from pbt_generator.domain.oracle.mutation.kills import KILLERS, KillMatrix
from pbt_generator.domain.oracle.runs import ENOUGH, Exploration, Run

MAX_CASES = 500
MIN_CASES = 12
_FEW = 6
# A suite of this size tells programs apart well; beyond it, evenness of results counts more.
_GOOD_SIZE = 240
# Cases of every kind and edge at a place, and most cases that are there for an edge on a way of its own.
_EACH_EDGE, _MOST_EDGES = 2, 220
# Inputs in which something is changed that is easily overlooked.
_CONTRASTED = 200
# Before these such as are made of what callers send, and a few that are odd.
_OF_REAL, _ODD = 120, 60
_KEYS = re.compile(r"'([^'\n]{1,40})'")


@dataclass(frozen=True)
class Spread:
    """How results are spread over cases.

    Attributes:
        distinct: number of distinct results.
        largest: share of the most frequent one.
        allowed: the largest share that is allowed.
    """

    distinct: int
    largest: float
    allowed: float

    @property
    def holds(self) -> bool:
        """Whether no result takes more than its share."""
        return self.distinct > 1 and self.largest <= self.allowed + 1e-9


def allowed_share(distinct: int) -> float:
    """The largest share that one result may take: two fifths, or four fifths where results are few.

    What an input that leads nowhere gives (nothing, false, the text as it was) tells as many wrong programs apart as
    any other result does: with less room their killers find no place.
    """
    return 0.8 if distinct < _FEW else 0.4


def spread_of(runs: Sequence[Run]) -> Spread:
    """The spread of the results of some runs."""
    counts = Counter(run.mark for run in runs)
    total = max(1, len(runs))
    return Spread(len(counts), max(counts.values(), default=0) / total, allowed_share(len(counts)))


def select(
    exploration: Exploration,
    kills: KillMatrix,
    limit: int = MAX_CASES,
    rank: Mapping[str, int] | None = None,
    contrasted: Collection[str] = (),
    of_real: Collection[str] = (),
    odd: Collection[str] = (),
    wanted: Collection[str] = (),
) -> list[Run]:
    """Choose and order the cases of a suite.

    Args:
        exploration: What was run.
        kills: Mutants and their killers.
        limit: Most cases.
        rank: Texts of inputs that are preferred where several serve, lower first; others come last.
        wanted: Texts of inputs that become cases behind what goals and mutants need, as far as there is room.
        contrasted: Texts of inputs of which some become cases for their own sake: what they tell apart has no mutant.
        of_real: The same, of inputs that are made of what callers send; they come before those.
        odd: The same, of inputs that programs are seldom written for; few of them.
    """
    pool = {run.text: run for run in exploration.returned}
    last = max(rank.values(), default=0) + 1 if rank else 0
    runs = sorted(pool.values(), key=lambda run: ((rank or {}).get(run.text, last), len(run.text), run.text))
    if not runs:
        return []
    needed = [*_needed(exploration, kills, runs), *(pool[text] for text in wanted if text in pool)]
    counts = Counter(run.mark for run in runs)
    caps = _caps(counts, limit)
    taken: dict[str, Run] = {}
    used: Counter[int] = Counter()
    for run in needed:
        if len(taken) >= limit or run.text in taken:
            continue
        if used[run.mark] < max(caps.get(run.mark, 0), 1):
            taken[run.text] = run
            used[run.mark] += 1
    usual = [run for run in runs if not run.strange]
    first: list[Run] = []
    for texts, most in ((of_real, _OF_REAL), (odd, _ODD), (contrasted, _CONTRASTED)):
        among = frozenset(texts)
        first += _round_robin([run for run in usual if run.text in among], counts)[:most]
    for run in [*first, *_round_robin(usual or runs, counts)]:
        if len(taken) >= limit:
            break
        if run.text not in taken and used[run.mark] < caps[run.mark]:
            taken[run.text] = run
            used[run.mark] += 1
    return order(within_share(list(taken.values()), kills), kills, exploration)


def within_share(runs: list[Run], kills: KillMatrix) -> list[Run]:
    """Without the last cases of a result that still takes more than its share.

    Those go first whose goals and mutants other cases reach and kill as well, then those whose goals are.
    """
    kept = list(runs)
    reached = Counter(goal for run in kept for goal in run.goals)
    kills_of = _kills_of(kills)
    killed = Counter(number for run in kept for number in kills_of.get(run.text, ()))
    while len(kept) > MIN_CASES:
        counts = Counter(run.mark for run in kept)
        mark, count = max(counts.items(), key=lambda item: (item[1], item[0]))
        if count <= allowed_share(len(counts)) * len(kept):
            break
        places = [place for place in range(len(kept) - 1, -1, -1) if kept[place].mark == mark]
        spare = [place for place in places if all(reached[goal] > 1 for goal in kept[place].goals)]
        idle = (place for place in spare if all(killed[each] > 1 for each in kills_of.get(kept[place].text, ())))
        gone = kept.pop(next(idle, (spare or places)[0]))
        reached.subtract(gone.goals)
        killed.subtract(kills_of.get(gone.text, ()))
    return kept


def _kills_of(kills: KillMatrix) -> dict[str, set[int]]:
    """By the text of an input the numbers of the mutants that it kills; those below 0 are of other programs."""
    found: dict[str, set[int]] = {}
    for number, texts in (*kills.killers.items(), *((-1 - place, each) for place, each in enumerate(kills.others))):
        for text in texts:
            found.setdefault(text, set()).add(number)
    return found


def _needed(exploration: Exploration, kills: KillMatrix, runs: Sequence[Run]) -> list[Run]:
    """Cases that must be there: killers of every mutant, and cases of every goal, rare results first."""
    counts = Counter(run.mark for run in runs)
    by_text = {run.text: run for run in runs}
    place = {run.text: number for number, run in enumerate(runs)}
    needed: list[Run] = []
    chosen: set[str] = set()
    kills_of, killed = _kills_of(kills), set[int]()

    def take(candidates: list[Run], count: int) -> None:
        have = sum(1 for run in candidates if run.text in chosen)

        def worth(run: Run) -> tuple[bool, bool, int, int]:
            # What is of another kind than callers send stands in only where nothing else does. A result that many
            # inputs give has few places: each goes to what kills most of those still alive.
            common = counts[run.mark] > 20
            gain = len(kills_of.get(run.text, set()) - killed) if common else 0
            return run.strange, common, -gain, place[run.text]

        for run in sorted(candidates, key=worth):
            if have >= count or (run.strange and have):
                return
            if run.text not in chosen:
                chosen.add(run.text)
                needed.append(run)
                killed.update(kills_of.get(run.text, ()))
                have += 1

    reached: dict[int, list[Run]] = {}
    for run in runs:
        for goal in run.goals:
            reached.setdefault(goal, []).append(run)
    # A result that many inputs give has few places: every branch comes before the second killer of a mutant.
    for goal in sorted(exploration.program.branches, key=lambda item: (len(reached.get(item.number, ())), item.number)):
        take(reached.get(goal.number, []), 1)
    hardest = sorted(
        kills.mutants, key=lambda each: (bool(each.reading), len(kills.killers.get(each.number, ())), each.number)
    )
    for count in (1, KILLERS):
        for mutant in hardest:
            killers = [by_text[text] for text in sorted(kills.killers.get(mutant.number, ())) if text in by_text]
            take([run for run in killers if not (mutant.reading and run.strange)], count)
        for texts in sorted(kills.others, key=len):
            take([by_text[text] for text in sorted(texts) if text in by_text], count)
    for goal in sorted(exploration.program.goals, key=lambda item: (not item.branch, item.number)):
        take(reached.get(goal.number, []), ENOUGH)
    return [*needed, *_at_edges(exploration, [run for run in runs if not run.strange], chosen)]


def _at_edges(exploration: Exploration, runs: Sequence[Run], chosen: Collection[str]) -> list[Run]:
    """Cases of every kind and edge of a value at its place; then of each such on every way through the program."""
    named = frozenset(_KEYS.findall(exploration.program.source))
    branches = frozenset(goal.number for goal in exploration.program.branches)
    features = {run.text: features_of(run.text, named) for run in runs}
    ways = {run.text: run.goals & branches for run in runs}
    counts = Counter(feature for text in chosen for feature in features.get(text, ()))
    first: list[Run] = []
    for run in runs:
        if run.text not in chosen and any(counts[feature] < _EACH_EDGE for feature in features[run.text]):
            first.append(run)
            counts.update(features[run.text])
    taken = {run.text for run in first}
    met = {(feature, ways[text]) for text in (*chosen, *taken) if text in ways for feature in features[text]}
    later: list[Run] = []
    for run in runs:
        own = {(feature, ways[run.text]) for feature in features[run.text]}
        if run.text not in chosen and run.text not in taken and not own <= met:
            later.append(run)
            met |= own
    return [*first, *later[:_MOST_EDGES]]


def _caps(counts: Counter[int], limit: int) -> dict[int, int]:
    """How many cases each result may take, for the largest suite in which no result exceeds its share."""
    share = allowed_share(len(counts))
    size = capacity(counts, limit, share)
    if len(counts) < _FEW:
        # Few results: as even as leaves a suite of good size, so that rare ones weigh something.
        for even in (0.35, 0.5, 0.6, 0.7):
            smaller = capacity(counts, limit, even)
            if smaller >= min(_GOOD_SIZE, size):
                share, size = even, smaller
                break
    cap = math.floor(share * size) if size else 1
    return {mark: min(count, max(cap, 1)) for mark, count in counts.items()}


def capacity(counts: Counter[int], limit: int = MAX_CASES, share: float = 0.0) -> int:
    """The size of the largest suite in which no result takes more than its share."""
    share = share or allowed_share(len(counts))
    for size in range(min(limit, sum(counts.values())), 0, -1):
        if sum(min(count, math.floor(share * size)) for count in counts.values()) >= size:
            return size
    return 0


def _round_robin(runs: Sequence[Run], counts: Counter[int]) -> list[Run]:
    """Runs in turns over ways through the program, and within a way over results, rare ones first."""
    ways: dict[frozenset[int], dict[int, list[Run]]] = {}
    for run in runs:
        ways.setdefault(run.goals, {}).setdefault(run.mark, []).append(run)
    lines: list[list[Run]] = []
    for results in ways.values():
        queues = [results[mark] for mark in sorted(results, key=lambda mark: (counts[mark], mark))]
        line: list[Run] = []
        depth = 0
        while any(depth < len(queue) for queue in queues):
            line.extend(queue[depth] for queue in queues if depth < len(queue))
            depth += 1
        lines.append(line)
    lines.sort(key=lambda line: (len(line), line[0].text))
    ordered: list[Run] = []
    for turn in range(max(map(len, lines), default=0)):
        ordered.extend(line[turn] for line in lines if turn < len(line))
    return ordered


def order(runs: Sequence[Run], kills: KillMatrix, exploration: Exploration) -> list[Run]:
    """Order cases by power: each next one adds most to what the earlier ones killed and reached."""
    kills_of = _kills_of(kills)
    kinds = {run.text: kills_of.get(run.text, set[int]()) for run in runs}
    branch = {goal.number for goal in exploration.program.goals}
    killed: Counter[int] = Counter()
    reached: Counter[int] = Counter()
    seen: Counter[int] = Counter()
    left = sorted(runs, key=lambda run: (-len(kinds[run.text]), len(run.text), run.text))
    result: list[Run] = []
    # Only the first part is chosen greedily: it decides what a reader who stops early learns.
    while left and len(result) < 60:
        best = max(
            left[:250],
            key=lambda run: (
                sum(1.0 / (1 + 3 * killed[mutant]) for mutant in kinds[run.text])
                + sum(0.3 / (1 + 3 * reached[goal]) for goal in run.goals if goal in branch)
                + 0.5 / (1 + seen[run.mark])
            ),
        )
        left.remove(best)
        result.append(best)
        killed.update(kinds[best.text])
        reached.update(best.goals)
        seen[best.mark] += 1
    return result + left
