"""Exercises: the same task gives the same one, it can be answered, and what is asked for is not told."""

from __future__ import annotations

import ast
import json
from types import SimpleNamespace
from typing import Any

import pytest

from pbt_generator.adapters.suites import ContractFreezer
from pbt_generator.domain.exercises.beginning import beginning
from pbt_generator.domain.exercises.broken import broken_programs
from pbt_generator.domain.exercises.exercise import VERSION, drawn
from pbt_generator.domain.exercises.foreseen import foreseeable
from pbt_generator.errors import NoExerciseError, UnknownTrackError
from pbt_generator.ports import CaseOutcome, ForeignProgram, RunLimits
from pbt_generator.usecases.exercises import ExerciseDesk, Material, Posable, _seen, posers

LIMITS = RunLimits(case_timeout_s=5.0, total_timeout_s=60.0)
SUM_ODD = '''\
from math import floor

LIMIT = 3


def helper(x):
    return floor(x)


def odd(xs: list[int], low: int = 0) -> dict:
    """Count and add odd numbers."""
    total = 0
    names = [f"n{x!r:>3}" for x in xs if x % 2]
    for x in xs:
        if x % 2 and x >= low:
            total += helper(x)
        elif x == LIMIT:
            continue
    return {"total": total, "names": names}


LATER = LIMIT + 1
'''
INSTRUCTION = (
    "Write a function named `odd`.\n\nCount and add uneven numbers.\n\nParameters:\n"
    "- `xs`: a sequence of integers\n- `low`: integer\n\nResult: a map"
)
CASES = [([[1, 2, 3]], {"total": 4, "names": ["n  1", "n  3"]}), ([[2]], {"total": 0, "names": []}),
         ([[5], 6], {"total": 0, "names": ["n  5"]}), ([[4]], {"total": 0, "names": []}),
         ([[7, -1], 0], {"total": 7, "names": ["n  7", "n -1"]})]  # fmt: skip


def material(source: str = SUM_ODD, entry: str = "odd", cases: Any = None, task_id: str = "t1") -> Material:
    pairs = [(json.dumps(given), json.dumps(result)) for given, result in (cases if cases is not None else CASES)]
    suite = ContractFreezer().freeze("portable", entry, 1, pairs)
    told = (INSTRUCTION.replace("odd", entry), {"python": f"def {entry}(xs: list[int], low: int) -> dict"}, entry)
    return Material(task_id, entry, source, ContractFreezer().open, suite.data, {"mutation": {"killed": 5}}, *told)


async def test_a_broken_program_fails_the_suite_and_the_case_that_is_shown(sandbox, blobs):
    way = posers(sandbox, ContractFreezer(), blobs)["repair"]
    given = material()
    assert not way.lack(given)
    found = await way.pose(given)
    assert found == await way.pose(given) and found != await way.pose(material(task_id="t2"))
    judged = await sandbox.judge(ForeignProgram(found.program, "odd"), given.data, limits=LIMITS)
    assert judged.verdict != "passed"
    assert (found.arguments, found.expected) in given.suite.cases and found.seen not in ("", found.expected)
    assert "_ts_" not in found.program and not found.suite_digest


def test_every_mutant_stands_by_itself_as_somebody_might_have_written_it(truths):
    texts: list[str] = []
    for truth in [SimpleNamespace(source=SUM_ODD, name="odd"), *truths.values()]:
        programs = broken_programs(truth.source, truth.name, "t")
        for broken in programs:
            assert "_ts_" not in broken.text and broken.change and broken.line > 0
            ast.parse(broken.text)
        texts += [broken.text for broken in programs]
    assert len(texts) > 100 and len(set(texts)) > 0.9 * len(texts)


def test_a_beginning_is_cut_before_a_decorator():
    source = "def f(x):\n    if x:\n        @cache\n        def g(): return x\n        return g()\n    return 1\n"
    assert {beginning(source, "f", f"t{number}") for number in range(9)} == {"def f(x):\n    if x:\n"}


def test_a_mutant_of_what_a_program_keeps_says_it_where_it_is_read():
    source = "T = {'a': 1, 'b': 5}\ndef f(x, key='a'):\n    return [T[x], T[key]]\ndef g(x):\n    return f(x)\n"
    texts = {broken.change: broken.text for broken in broken_programs(source, "g", "t")}
    assert "return [{'a': 1, 'b': 6}[x], {'a': 1, 'b': 6}[key]]" in texts["T['b'] = 6"]
    assert "return f(x, key='ax')" in texts["f(key = 'ax')"]


def test_a_beginning_ends_with_the_head_of_a_branch_and_all_else_stands_before_it():
    found = {beginning(SUM_ODD, "odd", f"t{number}") for number in range(20)}
    assert {text.rstrip().rsplit("\n", 1)[1].strip() for text in found} == {
        "for x in xs:", "if x % 2 and x >= low:", "elif x == LIMIT:",
    }  # fmt: skip
    for text in found:
        assert text.startswith("from math") and "LATER = LIMIT + 1" in text and "total += helper" not in text[:-200]
        indent = " " * (len(text.rstrip().rsplit("\n", 1)[1]) - len(text.rstrip().rsplit("\n", 1)[1].lstrip()) + 4)
        ast.parse(f"{text}{indent}pass\n")


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    return x + 1\n",
        "def f(x):\n    if x: return 1\n    return 2\n",
        "def f(x):\n    try:\n        return int(x)\n    except ValueError:\n        return 0\n",
        "def f(x):\n    if x:\n        return 1\n    return 2\n\n\nTABLE = [f(1)]\n",
        "def f(x):\n    def g(y):\n        if y:\n            return 1\n        return 2\n    return g(x)\n",
    ],
)
def test_some_functions_have_no_place_to_cut(source):
    assert beginning(source, "f", "t") == ""


def test_a_case_is_foreseeable_where_no_guess_gives_its_result():
    cases = material().suite.cases
    found = foreseeable(SUM_ODD, cases, "predict-output", "t")
    assert found in cases and found == foreseeable(SUM_ODD, cases, "predict-output", "t")
    # The most frequent result, an argument handed back, nothing, what is long or not plain, and named arguments.
    guessed = [([1], 0), ([2], 0), ([3], 3), ([4], None), ([["x" * 400]], 5), ([6], "y" * 300)]
    tagged = [([{"$": "tuple", "v": []}], 7), ({"x": 8}, 9), ([9], {"$": "float", "v": "nan"})]
    assert foreseeable("def f(x): ...", material(cases=guessed + tagged).suite.cases, "predict-output", "t") is None
    assert foreseeable("#" * 7000, cases, "predict-output", "t") is None


def test_a_case_that_the_program_s_own_words_show_is_not_asked_for():
    source = 'def seconds(text):\n    """Seconds: seconds("2h") is 7200."""\n    # \'5m\' is 300\n    ...\n'
    cases = [('["2h"]', "7200"), ('["5m"]', "300"), ('["3s"]', "3"), ('["4s"]', "4")]
    frequent = [('["6s"]', "6"), ('["06s"]', "6")]
    asked = {foreseeable(source, [*cases, *frequent], "predict-output", f"t{n}") for n in range(60)}
    assert asked == {*cases[2:]}


def test_what_a_broken_program_gives_says_where_it_was_cut():
    assert _seen(CaseOutcome("returned", "1" * 400)) == "1" * 300 + "…"
    assert _seen(CaseOutcome("returned", "1" * 300)) == "1" * 300


@pytest.mark.parametrize("guessed", [True, False, 0, 0.0, "", [], {}, 1e-9, -5e-4])
def test_what_a_guess_or_a_zero_gives_is_not_asked_for(guessed):
    cases = material(cases=[([1], 7), ([2], 7), ([3], guessed)]).suite.cases
    assert foreseeable("def f(x): ...", cases, "predict-output", "t") is None


@pytest.mark.parametrize("track", ["predict-output", "predict-input"])
async def test_a_prediction_tells_one_side_of_a_case_and_freezes_the_case_for_the_judge(sandbox, blobs, track):
    way = posers(sandbox, ContractFreezer(), blobs)[track]
    given = material()
    found = await way.pose(given)
    assert (found.arguments == "") != (found.expected == "") and found.program == SUM_ODD
    suite = ContractFreezer().open(blobs.stored[found.suite_digest])
    assert len(suite.cases) == 1 and suite.cases[0] in given.suite.cases
    assert (found.arguments or found.expected) in suite.cases[0]
    assert way.lack(material(cases=[([1], 1)])) == "no case is short, plain and no guess"
    assert await way.pose(material(cases=[([1], 1)])) is None


async def test_speed_measures_the_ground_truth_and_a_broken_one_gives_no_exercise(sandbox, blobs):
    way = posers(sandbox, ContractFreezer(), blobs)["speed"]
    assert (await way.pose(material())).reference_cpu_s > 0
    assert await way.pose(material("def odd(xs, low=0):\n    return 0\n")) is None


UNKNOWN = {"the generator does not have the task": 1}


class Tasks:
    def __init__(self, given: Material, blobs: Any) -> None:
        self.task = SimpleNamespace(task_id=given.task_id, entry_point=given.entry_point, suite_digest="",
                                    ground_truth_digest="", certificate_digest="",
                                    instruction=given.instruction, signatures=given.signatures)  # fmt: skip
        place = {"source": {"name": "pack"}, "path": "src/pack/odd.py", "qualname": given.entry_point}
        self.stored = SimpleNamespace(task=self.task, function=place, retracted="")
        self.given, self.blobs = given, blobs
        self.decisions = self

    async def fill(self) -> Tasks:
        self.task.suite_digest = await self.blobs.put(self.given.data)
        self.task.ground_truth_digest = await self.blobs.put(self.given.source.encode())
        self.task.certificate_digest = await self.blobs.put(json.dumps(dict(self.given.certificate)).encode())
        return self

    async def tasks(self) -> list[Any]:
        return [] if self.stored.retracted else [self.stored]

    async def matching(self, prefix: str) -> list[Any]:
        return [self.stored] if self.task.task_id.startswith(prefix) else []

    async def find(self, task_id: str) -> Any:
        return self.stored


async def test_the_desk_lists_what_can_be_posed_and_refuses_what_cannot(sandbox, blobs):
    freezer = ContractFreezer()
    ways = posers(sandbox, freezer, blobs)
    desk = ExerciseDesk(await Tasks(material(), blobs).fill(), blobs, freezer, ways)  # type: ignore[arg-type]
    unanswered = "no input outside of the domain is kept that the ground truth answers"
    assert await desk.posable("robustness", ["t1"]) == Posable((), {unanswered: 1})
    with pytest.raises(NoExerciseError):
        await desk.pose("t1", "robustness")
    for track in set(ways) - {"robustness"}:
        assert await desk.posable(track, ["t1", "unknown"]) == Posable(("t1",), UNKNOWN)
        assert (await desk.pose("t1", track)).track == track
    plain = material("def odd(xs, low=0):\n    return 0\n", cases=[([[1]], 0)])
    desk = ExerciseDesk(await Tasks(plain, blobs).fill(), blobs, freezer, ways)  # type: ignore[arg-type]
    assert await desk.posable("completion", ["t1"]) == Posable((), {"the function has no branch to cut at": 1})
    with pytest.raises(NoExerciseError):
        await desk.pose("t1", "completion")
    with pytest.raises(UnknownTrackError, match="predict-input"):
        await desk.pose("t1", "poetry")


async def test_a_task_that_was_taken_back_can_be_posed_as_before_and_one_of_another_set_never(sandbox, blobs):
    freezer = ContractFreezer()
    tasks = await Tasks(material(), blobs).fill()
    desk = ExerciseDesk(tasks, blobs, freezer, posers(sandbox, freezer, blobs))  # type: ignore[arg-type]
    tasks.stored.retracted = "it rounds wrongly"
    assert await desk.posable("speed", ["t1"]) == Posable(("t1",), {})
    tasks.stored.function["source"] |= {"kind": "benchmark", "version": "1"}
    assert await desk.posable("speed", ["t1"]) == Posable((), UNKNOWN)


async def test_an_exercise_of_another_version_than_is_made_here_is_refused(sandbox, blobs):
    freezer = ContractFreezer()
    ways = posers(sandbox, freezer, blobs)
    desk = ExerciseDesk(await Tasks(material(), blobs).fill(), blobs, freezer, ways)  # type: ignore[arg-type]
    for track in set(ways) - {"robustness"}:
        assert (await desk.pose("t1", track, VERSION)).track == (await desk.pose("t1", track)).track
        for other in (VERSION - 1, VERSION + 1):
            with pytest.raises(NoExerciseError, match=f"version {VERSION} here, and version {other} is meant"):
                await desk.pose("t1", track, other)


class CountingFreezer(ContractFreezer):
    opened = 0

    def open(self, data):
        self.opened += 1
        return super().open(data)


@pytest.mark.parametrize(("track", "most"), [("speed", 0), ("helpers", 0), ("completion", 0), ("neutral", 1)])
async def test_a_suite_is_opened_only_where_it_is_read_and_once_for_what_is_asked_of_it_again(
    sandbox, blobs, track, most
):
    freezer = CountingFreezer()
    tasks = await Tasks(material(), blobs).fill()
    desk = ExerciseDesk(tasks, blobs, freezer, posers(sandbox, freezer, blobs))  # type: ignore[arg-type]
    for _ in range(3):
        assert await desk.posable(track, ["t1"]) == Posable(("t1",), {})
    assert freezer.opened == most


def test_a_drawing_hangs_on_its_seed_alone():
    items = [str(number) for number in range(50)]
    assert drawn(items, str, "a") == drawn(items[::-1], str, "a") != drawn(items, str, "b")
