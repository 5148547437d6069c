"""From a function to a certified suite or a refusal, with programs of the tests run in a child process."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace

import pytest

import touchstone_values as values
from pbt_generator.domain.inputs.inference.signature import input_shape, read_program
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.domain.oracle.runs import TOO_LONG
from pbt_generator.domain.oracle.selection import MAX_CASES
from pbt_generator.domain.refusals import Reason
from pbt_generator.ports import Harness
from pbt_generator.usecases.build import BuiltSuite, Candidate, RefusedSuite, Workshop, build_suite
from pbt_generator.usecases.explore import Effort, Explorer
from pbt_generator.usecases.further import MAX_FURTHER

Measure = Callable[[str, str, Sequence[str]], dict[str, list[list[int]]]]
LIGHT = Effort(drawn=30, batch=160, chunk=80, least_rounds=1, most_rounds=8, pool=200)

RELEASED = [
    "shorten", "parse_duration", "group_by_status", "normalise_command",
    "age_in_years",
]  # fmt: skip


@pytest.mark.parametrize("name", RELEASED)
async def test_a_released_suite_keeps_its_promises(
    name: str, truths: dict[str, SimpleNamespace], workshop: Workshop, measure_branches: Measure
) -> None:
    truth = truths[name]
    built = await build_suite(truth.candidate(), workshop)
    assert isinstance(built, BuiltSuite), built.refusal.words
    certificate = built.certificate
    assert certificate.holds and certificate.mutation.score >= 0.95
    assert certificate.coverage.share == 1.0
    assert 12 <= len(built.cases) <= MAX_CASES + MAX_FURTHER
    assert len({case.arguments for case in built.cases}) == len(built.cases)
    # No constant answer takes more than its share.
    counts = Counter(case.expected for case in built.cases)
    assert max(counts.values()) / len(built.cases) <= (0.8 if len(counts) < 6 else 0.4) + 1e-9
    # The expected results are what the function gives.
    space: dict[str, object] = {}
    exec(compile(truth.source, name, "exec"), space)
    mode = "exact" if truth.imports else "portable"
    for case in built.cases[::17]:
        arguments = values.decode(case.arguments)
        given = space[name](*arguments) if isinstance(arguments, list) else space[name](**arguments)
        assert values.compare(case.expected, values.encode(given), mode) is None
    # coverage.py finds nothing missing but what can only raise, and that was reached too.
    inputs = [*(case.arguments for case in built.cases), *certificate.raising_inputs]
    measured = measure_branches(truth.source, name, inputs)
    assert measured == {"missing": [], "lines": []}


async def test_few_inputs_leave_open_what_coverage_py_calls_missing(
    truths: dict[str, SimpleNamespace], sandbox: object, harness: Harness, measure_branches: Measure
) -> None:
    """Whatever branch coverage.py reports as missed is missed by our own measure too."""
    compared = 0
    for name in ("shorten", "group_by_status", "normalise_command", "safe_number", "run_lengths", "leap_days", "roman"):
        truth = truths[name]
        program = read_program(truth.code, truth.imports, name)
        explorer = Explorer(
            sandbox, harness, instrument(program.source, name), name, input_shape(program), 3, portable=False, effort=LIGHT  # noqa: E501
        )  # fmt: skip
        await explorer.run(explorer.first_inputs()[:60])
        goals = explorer.found.program.branches
        for count in (1, 3, 12):
            runs = [run for run in explorer.found.runs if run.status != TOO_LONG][:count]
            reached = frozenset[int]().union(*(run.goals for run in runs))
            ours = {goal.line for goal in goals if goal.number not in reached}
            measured = measure_branches(program.source, name, [run.text for run in runs])
            theirs = {line for line, _ in measured["missing"]}
            assert theirs <= ours, (name, count)
            compared += len(theirs)
    assert compared > 20


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("hash_order", Reason.NONDETERMINISTIC),
        ("always_the_same", Reason.CONSTANT_OUTPUT),
        ("takes_a_function", Reason.UNCONSTRUCTIBLE_INPUT),
        ("gives_a_lambda", Reason.UNPORTABLE_RESULT),
        ("unreachable_arm", Reason.COVERAGE_INCOMPLETE),
    ],
)
async def test_refusals_have_their_reason(
    name: str, reason: Reason, truths: dict[str, SimpleNamespace], workshop: Workshop
) -> None:
    refused = await build_suite(truths[name].candidate("SC"), replace(workshop, effort=LIGHT))
    assert isinstance(refused, RefusedSuite)
    assert refused.refusal.reason == reason, refused.refusal.words
    assert refused.refusal.detail


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("def f(:\n    pass", Reason.UNREADABLE_SOURCE),
        ("def g(x):\n    return x", Reason.UNREADABLE_SOURCE),
        ("async def f(x):\n    return x", Reason.NOT_A_PLAIN_FUNCTION),
        ("def f(x):\n    yield x", Reason.NOT_A_PLAIN_FUNCTION),
        ("def f(*xs):\n    return xs", Reason.INEXPRESSIBLE_SIGNATURE),
        ("def f():\n    return 1", Reason.CONSTANT_OUTPUT),
        ("import no_such_module\ndef f(x):\n    return x", Reason.CANNOT_LOAD),
        ("def f(x):\n    raise KeyError(x)", Reason.NO_INPUT_ACCEPTED),
        ("def f(x: int):\n    return {x, x + 1}", Reason.UNPORTABLE_RESULT),
    ],
)
async def test_what_is_refused_before_any_search(code: str, reason: Reason, workshop: Workshop) -> None:
    refused = await build_suite(Candidate("id", "f", "f", code, (), "SC"), replace(workshop, effort=LIGHT))
    assert isinstance(refused, RefusedSuite)
    assert refused.refusal.reason == reason, refused.refusal.words


async def test_the_same_function_gives_the_same_bytes(truths: dict[str, SimpleNamespace], workshop: Workshop) -> None:
    first = await build_suite(truths["digit_sum"].candidate(), workshop)
    second = await build_suite(truths["digit_sum"].candidate(), workshop)
    assert isinstance(first, BuiltSuite) and isinstance(second, BuiltSuite)
    assert first.suite == second.suite
    assert json.dumps(first.certificate.to_dict()) == json.dumps(second.certificate.to_dict())


async def test_a_function_that_stops_the_process_costs_only_its_own_input(workshop: Workshop) -> None:
    code = (
        "def f(n: int, text: str):\n    if n == 7:\n        import os\n        os._exit(3)\n"
        "    if n > 50:\n        return text * 2\n    return text + str(n % 5)\n"
    )
    built = await build_suite(Candidate("id", "f", "f", code, (), "SC"), replace(workshop, effort=LIGHT))
    # Its branch never returns, so there is no task; but the search went on past it.
    assert isinstance(built, RefusedSuite)
    assert built.refusal.reason == Reason.COVERAGE_INCOMPLETE
    assert "n == 7" in built.refusal.detail
