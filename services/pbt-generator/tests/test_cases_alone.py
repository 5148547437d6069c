"""Ground truths that keep something from case to case: what they expect hangs on the cases before."""

from __future__ import annotations

import pytest

from pbt_generator.adapters.suites import ContractFreezer
from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.mutation.mutants import mutate
from pbt_generator.domain.refusals import Reason
from pbt_generator.ports import ForeignProgram, Harness, Sandbox
from pbt_generator.usecases.build import Candidate, RefusedSuite, Workshop, build_suite
from pbt_generator.usecases.certify import LIMITS, Certifier, SuiteFacts

_CALLED = "\n\ndef f(n):\n    return n + _next()\n"
KEEPING = {
    "a counter": f"import itertools\n\ndef _next(counter=itertools.count()):\n    return next(counter){_CALLED}",
    "turns": f"import itertools\n\ndef _next(turns=itertools.cycle((1, 2))):\n    return next(turns){_CALLED}",
    "chance with a seed": f"import random\n\ndef _next(rng=random.Random(7)):\n    return rng.random(){_CALLED}",
    "a queue": (
        "from collections import deque\n\ndef f(n, kept=deque(maxlen=3)):\n    kept.append(n)\n    return sum(kept)\n"
    ),
    "a table": (
        "from collections import Counter\n\ndef f(n, met=Counter()):\n    met[n % 5] += 1\n    return met[n % 5]\n"
    ),
    "the first one": "def f(n, first=[]):\n    first.append(n)\n    return n + len(first[:3])\n",
    "a library's setting": (
        "import calendar\n\ndef f(n):\n    if n % 3:\n        calendar.setfirstweekday(n % 7)\n"
        "    return calendar.weekheader(n % 5 + 1)\n"
    ),
}  # fmt: skip
STEADY = {
    "a cache": "import functools\n\n@functools.cache\ndef f(n):\n    return n + (f(n - 1) if n > 0 else 0)\n",
    "a table made once": "TABLE = {}\n\ndef f(n):\n    return TABLE.setdefault(n % 5, n % 5 * 2)\n",
}


async def facts(source: str, cases: int, sandbox: Sandbox) -> SuiteFacts:
    """A suite as building makes it: what the ground truth gives for one input after the other."""
    inputs = [f"[{number}]" for number in range(cases)]
    result = await sandbox.run_cases(ForeignProgram(source, "f"), inputs, limits=LIMITS)
    expected = [outcome.value for outcome in result.outcomes]
    frozen = ContractFreezer().freeze("portable", "f", 1, list(zip(inputs, expected, strict=True)))
    return SuiteFacts(frozen.data, tuple(inputs), tuple(expected), "f", portable=True)


@pytest.mark.parametrize("cases", [20, 21])
@pytest.mark.parametrize("name", KEEPING)
async def test_what_keeps_something_from_case_to_case_is_found(name: str, cases: int, sandbox: Sandbox) -> None:
    source = KEEPING[name]
    trials = await Certifier(sandbox, None, ContractFreezer()).truths(source, await facts(source, cases, sandbox))
    assert [trial.as_it_should for trial in trials] == [*[True] * (len(trials) - 1), False]
    assert trials[-1].program in {"ground_truth_other_case_order", "ground_truth_in_fresh_processes"}


@pytest.mark.parametrize("cases", [1, 2, 3, 20])
@pytest.mark.parametrize("name", STEADY)
async def test_what_gives_the_same_in_every_order_passes(name: str, cases: int, sandbox: Sandbox) -> None:
    source = STEADY[name]
    trials = await Certifier(sandbox, None, ContractFreezer()).truths(source, await facts(source, cases, sandbox))
    assert all(trial.as_it_should for trial in trials)
    assert [trial.program.removeprefix("ground_truth_") for trial in trials] == [
        "seed_1", "seed_977", "other_case_order", "in_fresh_processes",
    ]  # fmt: skip


async def test_no_order_that_turns_the_cases_round_alone_would_do(sandbox: Sandbox) -> None:
    # With two turns, and one a case, the cases of an odd number have the same turns from the last to the first.
    source = KEEPING["turns"]
    suite = await facts(source, 21, sandbox)
    pairs = list(zip(suite.arguments, suite.expected, strict=True))[::-1]
    turned = ContractFreezer().freeze("portable", "f", 1, pairs).data
    judged = await sandbox.judge(ForeignProgram(source, "f"), turned, limits=LIMITS)
    assert judged.verdict == "passed"


NUMBERED = '''
def numbered(words: list[str]) -> list[str]:
    """Number the words."""
    found = []
    for word in words:
        if word:
            found.append(word + str(_next()))
    return found


def _next(counter=itertools.count()):
    return next(counter)
'''


async def test_a_function_that_numbers_across_its_cases_gets_no_task(workshop: Workshop) -> None:
    candidate = Candidate("id", "numbered", "numbered", NUMBERED.strip(), ("import itertools",), "SC")
    refused = await build_suite(candidate, workshop)
    assert isinstance(refused, RefusedSuite) and refused.refusal.reason is Reason.NONDETERMINISTIC
    assert "hangs on the calls before" in refused.refusal.detail


LEAKING = """
ROWS = [0]

def f(n):
    rows = ROWS if n > 10 ** 6 else list(ROWS)
    rows.append(n)
    return len(rows) + n // 2
"""


def run(source: str, harness: Harness, inputs: list[list[object]]) -> tuple[dict[str, list[object]], list[str]]:
    """What the mutants of a program do one after the other, each process for itself, and in what order they were."""
    program = mutate(source, "f")
    text = with_harness(program.source, "f", harness.mutate)
    places = list(range(len(inputs)))
    plan = [[mutant.number, places, []] for mutant in program.mutants]
    found: dict[str, list[object]] = {}
    while plan:
        space: dict[str, object] = {}
        exec(compile(text, "program", "exec"), space)
        rows = space["_ts_mutate"](inputs, plan, 4, "portable", 40)  # type: ignore[operator]
        assert rows
        assert space["_ts_mutate"](inputs, plan, 4, "portable", 40) == [] or rows[-1][3] >= 0  # type: ignore[operator]
        found |= {program.mutants[number - 1].change: rest for number, *rest in rows}
        plan = plan[len(rows) :]
    return found, [mutant.change for mutant in program.mutants]


@pytest.mark.parametrize("name", ["a counter", "chance with a seed"])
def test_no_mutant_of_what_keeps_something_is_killed(name: str, harness: Harness) -> None:
    found, changes = run(KEEPING[name], harness, [[number] for number in range(12)])
    assert set(found) == set(changes)
    assert not any(killers for killers, *_ in found.values())


def test_what_a_mutant_leaves_behind_kills_no_other(harness: Harness) -> None:
    found, changes = run(LEAKING, harness, [[1], [2], [7]])
    leaking = [change for change, (_, _, ending) in found.items() if ending == -1]
    assert leaking and set(found) == set(changes)
    # The others are those of the same program that keeps nothing.
    alone, _ = run(LEAKING.replace("ROWS if", "list(ROWS) if"), harness, [[1], [2], [7]])
    for change, (killers, *_rest) in found.items():
        if change in alone and change not in leaking:
            assert killers == alone[change][0], change
