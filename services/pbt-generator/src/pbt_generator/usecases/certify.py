"""Proves an oracle on the very path that candidates take."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

from pbt_generator.domain.oracle.certificate import Trial, wrong_programs
from pbt_generator.domain.oracle.naming import under_another_name
from pbt_generator.domain.oracle.orders import has_maps, has_sets, with_other_maps, with_other_sets
from pbt_generator.ports import ForeignProgram, Freezer, Judgement, RunLimits, Sandbox, Tables
from touchstone_values import MalformedValueError, decode

LIMITS = RunLimits(case_timeout_s=5.0, total_timeout_s=60.0)
_BUILD_LIMITS = RunLimits(case_timeout_s=10.0, total_timeout_s=120.0)
SEEDS = (1, 977)
TRUTH = "ground_truth"
# Cases that the ground truth runs alone, each in a process of its own: what is kept comes round again in few steps.
_ALONE = 6


@dataclass(frozen=True)
class SuiteFacts:
    """What certification needs of a frozen suite."""

    data: bytes
    arguments: tuple[str, ...]
    expected: tuple[str, ...]
    entry_point: str
    portable: bool


class Certifier:
    """Runs right and wrong programs on a suite.

    Args:
        sandbox: Where they run.
        tables: Writes table programs; None where only Python is to be certified.
        freezer: Reads and writes suites.

    Attributes:
        untried: Trials of the last certification that could not be made, and why.
    """

    def __init__(self, sandbox: Sandbox, tables: Tables | None, freezer: Freezer) -> None:
        self.sandbox = sandbox
        self.tables = tables
        self.freezer = freezer
        self.cpu_s = 0.0
        self.untried: tuple[str, ...] = ()

    async def certify(self, source: str, suite: SuiteFacts) -> tuple[list[Trial], tuple[str, ...]]:
        """Run every program; gives the trials, and the languages whose table programs went as they should.

        The ground truth is run first, as `truths` does, with another order of its sets and as a module of another
        name; the rest is left out when it fails.
        """
        self.untried = ()
        trials = await self.truths(source, suite)
        if not all(trial.as_it_should for trial in trials):
            return trials, ()
        sets = partial(with_other_sets, source, suite.entry_point, given=any(map(has_sets, suite.arguments)))
        for what, changed, control in (
            ("other_set_order", sets(), sets(turned=False)),
            ("other_module_name", under_another_name(source), ""),
        ):
            if changed and (trial := await self._changed(what, changed, control, suite)) is not None:
                trials.append(trial)
                if not trial.as_it_should:
                    return trials, ()
        trials += await self.wrongs(suite)
        proved: list[str] = []
        languages = await self._languages(suite)
        wrong = self._with_a_wrong_case(suite) if languages else b""
        for language in languages:
            pair = await self._table(language, suite, wrong)
            trials.extend(pair)
            if pair and all(trial.as_it_should for trial in pair):
                proved.append(language)
        return trials, tuple(proved) or ("python",)

    async def truths(self, source: str, suite: SuiteFacts) -> list[Trial]:
        """Run the ground truth as it must pass: under two hash seeds, in another order of the cases, and some alone.

        What keeps something from case to case expects results that hang on the cases before them: no solver could give
        them. Whatever follows the first failure is left out.
        """
        program = ForeignProgram(source, suite.entry_point)
        trials: list[Trial] = []
        for seed in SEEDS:
            judged = await self._judge(program, suite, hash_seed=seed)
            trials.append(_trial(f"{TRUTH}_seed_{seed}", "python", judged, must_pass=True))
            if judged.verdict != "passed":
                return trials
        judged = await self._judge(program, suite, data=self._in_another_order(suite))
        trials.append(_trial(f"{TRUTH}_other_case_order", "python", judged, must_pass=True))
        if judged.verdict == "passed":
            trials.append(await self._in_fresh_processes(program, suite))
        return trials

    async def _changed(self, what: str, changed: str, control: str, suite: SuiteFacts) -> Trial | None:
        """Run the program with a change that results must not show; None, and a note, where it did not suit it.

        What raises shows as much as a wrong result where more passes with `control`: all of the change but what results
        must not show. It is empty where there is none.
        """
        judged = await self._judge(ForeignProgram(changed, suite.entry_point), suite)
        name = f"{TRUTH}_{what}"
        # One case that the change does not suit says nothing of the others.
        if any(failure.outcome == "wrong_output" for failure in judged.failures):
            return Trial(name, "python", True, "wrong_output", judged.passed, judged.cases)
        if judged.verdict == "passed":
            return _trial(name, "python", judged, must_pass=True)
        if control and judged.failures and all(failure.outcome == "raised" for failure in judged.failures):
            plain = await self._judge(ForeignProgram(control, suite.entry_point), suite)
            if plain.passed > judged.passed:
                return Trial(name, "python", True, judged.verdict, judged.passed, judged.cases)
        told = f"{judged.verdict}, {judged.passed} of {judged.cases} cases passed"
        self.untried += (f"{name.replace('_', ' ')}: the changed program does not run ({told})",)
        return None

    def _in_another_order(self, suite: SuiteFacts) -> bytes:
        """The suite with its cases in an order that is neither theirs nor its reverse, the last one first."""
        opened = self.freezer.open(suite.data)
        *others, last = opened.cases
        # Turned round alone, what takes turns would meet the same turn in each case of an odd number.
        random.Random(len(others)).shuffle(others)
        return self.freezer.freeze(opened.comparison, opened.entry_point, 0, [last, *others]).data

    async def _in_fresh_processes(self, program: ForeignProgram, suite: SuiteFacts) -> Trial:
        """Run some cases, each in a process that has run nothing before it."""
        opened = self.freezer.open(suite.data)
        # The first one has run so already.
        last = len(opened.cases) - 1
        places = sorted({min(last, 1 + number * (last - 1) // (_ALONE - 1)) for number in range(_ALONE)})
        alone = [
            self.freezer.freeze(opened.comparison, opened.entry_point, 0, [opened.cases[place]]).data
            for place in places
        ]
        judged = await asyncio.gather(*(self._judge(program, suite, data=data) for data in alone))
        verdict = next((each.verdict for each in judged if each.verdict != "passed"), "passed")
        return Trial(
            f"{TRUTH}_in_fresh_processes", "python", True, verdict, sum(each.passed for each in judged), len(alone)
        )

    async def wrongs(self, suite: SuiteFacts) -> list[Trial]:
        """Run the known-wrong programs, each of which must fail."""
        trials: list[Trial] = []
        for name, text in wrong_programs(suite.entry_point, *_constant(suite.expected)).items():
            judged = await self._judge(ForeignProgram(text, suite.entry_point), suite, stop=1)
            trials.append(_trial(name, "python", judged, must_pass=False))
        return trials

    async def reads_map_order(self, source: str, suite: SuiteFacts) -> bool:
        """Whether the ground truth gives something else when the maps it is given have their entries turned round."""
        if not suite.portable or not any(map(has_maps, suite.arguments)):
            return False
        turned = ForeignProgram(with_other_maps(source, suite.entry_point), suite.entry_point)
        return (await self._judge(turned, suite, stop=1)).verdict != "passed"

    async def _languages(self, suite: SuiteFacts) -> list[str]:
        if self.tables is None:
            return []
        offered = await self.sandbox.languages()
        wanted = self.tables.languages if suite.portable else ("python",)
        return [language for language in wanted if language in offered]

    async def _table(self, language: str, suite: SuiteFacts, wrong: bytes) -> list[Trial]:
        """A program that knows all results passes every case, and fails one that expects something else.

        Both are seen in one run, since most of it is spent on compiling: that case stands behind the suite's own in
        `wrong`.
        """
        assert self.tables is not None
        source = self.tables.program(language, suite.entry_point, suite.arguments, suite.expected)
        if source is None:
            return []
        program = ForeignProgram(source, suite.entry_point, language)
        judged = await self._judge(program, suite, data=wrong, limits=_BUILD_LIMITS)
        own = len(suite.arguments)
        first = min((failure.index for failure in judged.failures), default=own)
        if judged.verdict != "passed" and (first < own or judged.passed < own):
            return [Trial("table", language, True, judged.verdict, min(judged.passed, own), own)]
        return [
            Trial("table", language, True, "passed", own, own),
            Trial("table_broken", language, False, judged.verdict, judged.passed, judged.cases),
        ]

    def _with_a_wrong_case(self, suite: SuiteFacts) -> bytes:
        opened = self.freezer.open(suite.data)
        arguments, expected = opened.cases[len(opened.cases) // 2]
        # A list around it is another value, whatever it is.
        cases = [*opened.cases, (arguments, f"[{expected}]")]
        return self.freezer.freeze(opened.comparison, opened.entry_point, 0, cases).data

    async def _judge(
        self,
        program: ForeignProgram,
        suite: SuiteFacts,
        *,
        hash_seed: int = 1,
        stop: int = 0,
        limits: RunLimits = LIMITS,
        data: bytes | None = None,
    ) -> Judgement:
        judged = await self.sandbox.judge(
            program, data or suite.data, limits=limits, hash_seed=hash_seed, stop_after_failures=stop
        )
        self.cpu_s += judged.cpu_s
        return judged


def _trial(name: str, language: str, judged: Judgement, *, must_pass: bool) -> Trial:
    return Trial(name, language, must_pass, judged.verdict, judged.passed, judged.cases)


def _constant(expected: Sequence[str]) -> tuple[str, str]:
    """A frequent result as a Python expression and as portable text; 0 where it has no literal."""
    text = Counter(expected).most_common(1)[0][0]
    try:
        value: object = decode(text)
    except MalformedValueError:
        return "0", "0"
    return (repr(value), text) if _literal(value) else ("0", "0")


def _literal(value: object) -> bool:
    if value is None or type(value) in (bool, int, str, bytes):
        return True
    if type(value) is float:
        return value == value and value not in (float("inf"), float("-inf"))
    if type(value) in (list, tuple):
        return all(_literal(item) for item in cast("list[object]", value))
    if type(value) is dict:
        return all(_literal(key) and _literal(item) for key, item in cast("dict[object, object]", value).items())
    return False
