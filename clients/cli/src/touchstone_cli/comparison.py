"""Two runs beside each other."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from math import comb
from typing import Any

from touchstone_cli.errors import CliError
from touchstone_cli.output import counted, say, say_progress, to_dict
from touchstone_cli.services import Caller
from touchstone_runtime.costs import usd_in_words
from touchstone_runtime.shares import percent, points
from touchstone_runtime.tracks import EXERCISE
from touchstone_runtime.ways import sampled_words
from touchstone_runtime.wordings import BY_EXAMPLE, DESCRIBED, IN_WORDS, wording_named

_RETRACTED = "retracted"
_ENDED = ("pending", _RETRACTED, "infrastructure")
POLL_S = 1.0
# How long a run may stand still before nobody waits for it, in seconds.
PATIENCE_S = 20.0
_STATES = {
    "decided": "one is decidedly better",
    "money_spent": "the money is spent",
    "all_seen": "every repository is seen and neither is decidedly better",
}


def wording_of(first: Any, second: Any, *, by_example: bool) -> str:
    """Over which tasks two runs are compared, never over both kinds.

    Args:
        first: As `GetRun` gives it.
        second: The same.
        by_example: Those told by example are asked for; else the described ones, where either run has any.
    """
    if by_example:
        return BY_EXAMPLE
    standing = [result for run in (first, second) for result in run.results if result.outcome != _RETRACTED]
    return DESCRIBED if any(wording_named(result.wording) == DESCRIBED for result in standing) else BY_EXAMPLE


def decide(evaluator: Caller, first: str, second: str, budget_usd: float, wording: str) -> str:
    """Have two paused runs asked repository by repository until one is decidedly better or the money is spent.

    Args:
        evaluator: Asks for the next repository.
        first: Id of a run.
        second: The same.
        budget_usd: What both may have cost, US dollars; 0 is no bound.
        wording: Only tasks of this wording are asked for.

    Returns:
        "decided", "money_spent" or "all_seen".

    Raises:
        CliError: One of them has stood still for so long that whatever it waits for needs a person.
    """
    shown = -1
    again = True
    waits_for = ""
    halted_since = 0.0
    while True:
        request = evaluator.messages.AdvanceComparisonRequest(
            run_a=first, run_b=second, budget_usd=budget_usd, again=again, wording=wording
        )
        answer = evaluator.call("AdvanceComparison", request)
        seen, again = answer.comparison, False
        if answer.state in _STATES or seen.repositories != shown:
            shown = seen.repositories
            ended = _STATES.get(answer.state, "")
            say_progress(_sequence_words(to_dict(seen)) + (f": {ended}" if ended else ""), redrawn=not ended)
        if answer.state in _STATES:
            return str(answer.state)
        if answer.halted and answer.halted != waits_for:
            say(f"a run of the two waits: {answer.halted}; Ctrl-C stops the watching, the same call goes on")
        waits_for = answer.halted or waits_for
        halted_since = (halted_since or time.monotonic()) if answer.halted else 0.0
        if halted_since and time.monotonic() - halted_since > PATIENCE_S:
            raise CliError(f"the comparison stands still: {answer.halted}; the same call goes on once that is mended")
        time.sleep(POLL_S)


def _sequence_words(seen: dict[str, Any]) -> str:
    """How a comparison stands after the repositories that were looked at."""
    # What was lost is no gap: over the rest alone a run would gain by losing what is hard for it.
    figure = f"{points(seen['least'])} to {points(seen['most'])}" if seen["lost"] else points(seen["difference"])
    return (
        f"{seen['repositories']} of {counted(seen['of'], 'repository', 'repositories')}, "
        f"{counted(seen['tasks'], 'task')}"
        + (f", {seen['lost']} of them without an answer that was lost" if seen["lost"] else "")
        + f": first minus second {figure} points, evidence {_evidence(seen)} of {seen['needed']:.3g}"
        # A model without a price costs 0 as far as anybody knows.
        + (f", {usd_in_words(seen['cost_usd'], unknown=False)} USD" if seen["cost_usd"] else "")
    )


def _evidence(seen: dict[str, Any]) -> str:
    """The evidence with as many digits as tell whether it is enough."""
    enough = seen["evidence"] >= seen["needed"]
    texts = [f"{seen['evidence']:.{digits}g}" for digits in range(3, 12)]
    return next((text for text in texts if (float(text) >= seen["needed"]) == enough), texts[-1])


def compare_runs(evaluator: Caller, first: Any, second: Any, wording: str) -> dict[str, Any]:
    """What each of two runs solved and the other did not, over the tasks of a wording that both have every verdict on.

    A task of a sampled run counts as solved where one of its samples passed, and counts only where each has a verdict:
    over those that are there alone it would be solved or not by what was lost. Where one run has more samples than the
    other it has more chances, too: then nothing is counted so, and shares are compared.

    Args:
        evaluator: Computes what tells two runs of one board apart.
        first: As `GetRun` gives it.
        second: The same.
        wording: Which tasks count: "described" or "by_example".

    Returns:
        `wording`, `elsewhere` (tasks of the other kind with every verdict in both), `runs`, `common` (tasks with every
        verdict in both), `missing` (tasks of both that lack one: it is on its way, or was lost to a fault),
        `only_first`, `only_second`, `both`, `neither` (all None where the runs have other numbers of samples),
        `k` and `pass_at_k` (of each run the mean chance that one of as many answers as both have passed; None where
        nothing is common), `differ` (tasks with another outcome, or another share of samples that passed),
        `memory`: where the two differ in names alone, plain minus neutral with interval and p, else None,
        `pair`: difference in Pass@1 with its interval and p, or None where the two do not stand on one board at
        full coverage, `no_interval`: why there is none, empty where there is, and `sequence`: the two repository by
        repository, or None likewise where their tasks, languages or ways of asking differ.
    """
    answers = [_answers(run) for run in (first, second)]
    sides = [_outcomes(given) for given in answers]
    both = [task_id for task_id in sides[0] if task_id in sides[1]]
    worded = {result.task_id: wording_named(result.wording) for result in first.results}
    common = [task_id for task_id in both if worded[task_id] == wording]
    asked = [{each.task_id for each in run.results if each.outcome != _RETRACTED} for run in (first, second)]
    missing = sum(worded[task_id] == wording for task_id in asked[0] & asked[1]) - len(common)
    names = {result.task_id: result.entry_point for run in (first, second) for result in run.results}
    solved = [tuple(side[task_id] == "passed" for side in sides) for task_id in common]
    sizes = [min((len(given[task_id]) for task_id in common), default=0) for given in answers]
    k, alike = min(sizes), sizes[0] == sizes[1]
    if not alike:
        sides = [{task_id: _passed(given[task_id]) for task_id in common} for given in answers]
    return {
        "wording": wording,
        "elsewhere": len(both) - len(common),
        "runs": [_words(run) for run in (first, second)],
        "common": len(common),
        "missing": missing,
        "only_first": solved.count((True, False)) if alike else None,
        "only_second": solved.count((False, True)) if alike else None,
        "both": solved.count((True, True)) if alike else None,
        "neither": solved.count((False, False)) if alike else None,
        "k": k or None,
        "pass_at_k": [_pass_at(k, given, common) for given in answers] if k else None,
        "differ": [
            {"task_id": task_id, "entry_point": names[task_id], "outcomes": [side[task_id] for side in sides]}
            for task_id in common
            if (sides[0][task_id] != sides[1][task_id] if alike else _share_differs(answers, task_id))
        ],
        "memory": _memory(evaluator, first.summary, second.summary, wording),
        "pair": (pair := _pair(evaluator, first.summary, second.summary, wording)),
        "no_interval": "" if pair else _why_no_pair(first.summary, second.summary),
        "sequence": _sequence(evaluator, first.summary, second.summary, wording),
    }


def comparison_words(found: dict[str, Any]) -> list[str]:
    """The same in lines for people."""
    (a, b), pair = found["runs"], found["pair"]
    ways = [sampled_words(run["strategy"], run["samples"], run["temperature"]) for run in (a, b)]
    names = [
        f"{run['model']}, {way}, {run['language']} ({run['run_id'][:8]})" for run, way in zip((a, b), ways, strict=True)
    ]
    lines = [
        f"first: {names[0]}; second: {names[1]}",
        f"over tasks that are {IN_WORDS[found['wording']]}, {counted(found['common'], 'task')} with every verdict in "
        f"both: {_solved_words(found)}"
        + (f"; {counted(found['missing'], 'task')} more without one" if found["missing"] else ""),
    ]
    if found["both"] is None:
        lines.append("who has more answers to a task has more chances: tasks that one of them solved are not counted")
    elif any(run["samples"] > 1 for run in (a, b)):
        lines.append("of several answers to a task one that passed solves it here; Pass@1 is their share")
    if found["elsewhere"]:
        how = (
            "told by example: add --by-example"
            if found["wording"] == DESCRIBED
            else "described: leave out --by-example"
        )
        lines.append(f"{counted(found['elsewhere'], 'task')} more, compared apart, {how}")
    if seen := found["sequence"]:
        told = {"open": "neither is decidedly better", "first": "the first is better", "second": "the second is better"}
        lines.append(f"seen repository by repository, at any time: {_sequence_words(seen)}; {told[seen['decision']]}")
        lines.append(
            f"evidence: what a stake of 1 on a difference has become; at {seen['needed']:.3g} one is decidedly better"
        )
        if seen["absent"]:
            lines.append(
                f"{counted(seen['absent'], 'task')} of the set have not come yet: nothing is looked at until then"
            )
        if seen["lost"]:
            lines.append(
                "an answer that was lost to a fault counts against the run that would gain by it; "
                "`touchstone evaluate` asks for it again"
            )
    if gap := found["memory"]:
        return [*lines, *_memory_lines(gap)]
    if pair is None:
        return [*lines, f"No interval: {found['no_interval']}."]
    told = "the data tell them apart" if pair["decided"] else "the data do not tell them apart"
    return [
        *lines,
        f"Pass@1 of the first minus the second: {points(pair['difference'])} points "
        f"(95 %: {points(pair['low'])} to {points(pair['high'])}); p {pair['p']:.3g}, held over all pairs of the "
        f"board {pair['p_holm']:.3g}: {told}",
    ]


def _solved_words(found: dict[str, Any]) -> str:
    if found["both"] is None:
        shares = [percent(share) for share in found["pass_at_k"]]
        return f"pass@{found['k']} {shares[0]} % of the first and {shares[1]} % of the second"
    return (
        f"{found['both']} solved by both, {found['only_first']} by the first only, "
        f"{found['only_second']} by the second only, {found['neither']} by neither"
    )


def _memory_lines(gap: dict[str, Any]) -> list[str]:
    """A memory gap for people, with what it does not say."""
    told = "the data tell them apart" if gap["decided"] else "the data do not tell them apart"
    ends, shares = gap["gap"], [percent(gap[name]["value"]) for name in ("plain", "neutral")]
    return [
        f"the two differ in names alone: Pass@1 {shares[0]} % under the tasks' own names and {shares[1]} % in "
        f"neutral dress, over {counted(gap['tasks'], 'task')} of "
        f"{counted(gap['repositories'], 'repository', 'repositories')}; {gap['left_out']} not asked in neutral dress, "
        f"{gap['missing']} without an answer in one of them",
        f"memory gap: {points(ends['value'])} points (95 %: {points(ends['low'])} to {points(ends['high'])}); "
        f"p {gap['p']:.3g}: {told}",
        "a gap is a sign of memory and no proof: names help to understand, too",
    ]


def _memory(evaluator: Caller, first: Any, second: Any, wording: str) -> dict[str, Any] | None:
    """The gap of the first run, where the second is the one beside it."""
    if {first.spec.track, second.spec.track} != {"", "neutral"}:
        return None
    request = evaluator.messages.GetRunProfileRequest(run_id=first.run_id, wording=wording)
    profile = evaluator.call("GetRunProfile", request)
    gap = profile.memory
    beside = {gap.plain_run, gap.neutral_run} == {first.run_id, second.run_id}
    return to_dict(gap) if profile.HasField("memory") and beside else None


def _answers(run: Any) -> dict[str, list[str]]:
    """Of each task whose every answer has a verdict that counts their outcomes."""
    given: dict[str, list[str]] = {}
    for result in run.results:
        given.setdefault(result.task_id, []).append(result.outcome)
    return {task_id: outcomes for task_id, outcomes in given.items() if not set(outcomes) & set(_ENDED)}


def _outcomes(answers: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The outcome of each task; "passed" where one of its answers did."""
    return {task_id: "passed" if "passed" in given else given[-1] for task_id, given in answers.items()}


def _passed(outcomes: Sequence[str]) -> str:
    return f"{outcomes.count('passed')} of {len(outcomes)} passed"


def _share_differs(answers: Sequence[Mapping[str, Sequence[str]]], task_id: str) -> bool:
    (a, b) = (given[task_id] for given in answers)
    return a.count("passed") * len(b) != b.count("passed") * len(a)


def _pass_at(k: int, answers: Mapping[str, Sequence[str]], tasks: Sequence[str]) -> float:
    """The mean over tasks of the chance that one of k of their answers passed, none drawn twice.

    Source: Chen et al. 2021, Evaluating large language models trained on code.
    """
    every = [answers[task_id] for task_id in tasks]
    none_of = [comb(len(given) - given.count("passed"), k) / comb(len(given), k) for given in every]
    return 1 - sum(none_of) / len(none_of)


def _words(run: Any) -> dict[str, Any]:
    spec = run.summary.spec
    return {"run_id": run.run_id, "model": run.model, "strategy": run.strategy, "language": run.language} | {
        "task_set": spec.tasks.name,
        "samples": spec.samples,
        "temperature": spec.temperature,
    }


def _sequence(evaluator: Caller, first: Any, second: Any, wording: str) -> dict[str, Any] | None:
    places = {(run.spec.tasks.digest, run.spec.language, _way(run.spec)) for run in (first, second)}
    if len(places) > 1 or not first.spec.tasks.digest or first.run_id == second.run_id:
        return None
    request = evaluator.messages.CompareRunsRequest(run_a=first.run_id, run_b=second.run_id, wording=wording)
    return to_dict(evaluator.call("CompareRuns", request).comparison)


def _place(run: Any, tasks: str) -> tuple[str, str, bool]:
    return tasks, run.spec.language, run.spec.temperature > 0 or run.spec.samples > 1


def _pair(evaluator: Caller, first: Any, second: Any, wording: str) -> dict[str, Any] | None:
    places = {_place(run, _scope(run.spec)) for run in (first, second)}
    scope, language, sampled = next(iter(places))
    if len(places) > 1 or not scope or first.withdrawn or second.withdrawn or first.run_id == second.run_id:
        return None
    request = evaluator.messages.GetBoardRequest(
        scope=scope, language=language, mode="sampled" if sampled else "greedy", wording=wording
    )
    for pair in evaluator.call("GetBoard", request).pairs:
        if {pair.run_a, pair.run_b} == {first.run_id, second.run_id}:
            values = to_dict(pair)
            if pair.run_a != first.run_id:
                values |= {
                    "run_a": pair.run_b,
                    "run_b": pair.run_a,
                    "only_a": pair.only_b,
                    "only_b": pair.only_a,
                    # From nothing: no difference is not a negative one.
                    "difference": 0.0 - pair.difference,
                    "low": 0.0 - pair.high,
                    "high": 0.0 - pair.low,
                }
            return values
    return None


def _why_no_pair(first: Any, second: Any) -> str:
    if first.run_id == second.run_id:
        return "both are one run"
    if first.withdrawn or second.withdrawn:
        return "a run that was withdrawn stands on no board"
    one, other = first.spec, second.spec
    differ = [
        name
        for name, values in (
            ("set of tasks", [spec.tasks.digest for spec in (one, other)]),
            ("language", [spec.language for spec in (one, other)]),
            ("way of asking", [_way(spec) for spec in (one, other)]),
        )
        if len(set(values)) > 1
    ]
    if differ:
        return f"they do not stand on one board (another {' and another '.join(differ)})"
    if one.tasks.release != other.tasks.release:
        return (
            "one was asked for by a release and the other was not, or by another one, which are two boards; ask for "
            "both by one release (`touchstone evaluate --release NAME`)"
        )
    return "that needs every verdict of both on one board"


def _way(spec: Any) -> tuple[bool, str, int]:
    return spec.temperature > 0, spec.track, spec.bounds.get(EXERCISE, 0)


def _scope(spec: Any) -> str:
    """The digest of the board that a run is on; empty for a run of before specifications."""
    digest = spec.tasks.release or spec.tasks.digest
    version = spec.bounds.get(EXERCISE, 0)
    return ":".join([digest, spec.track, *([str(version)] if version else [])]) if digest and spec.track else digest
