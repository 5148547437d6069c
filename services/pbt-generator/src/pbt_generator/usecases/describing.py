"""Words of a configured model for a task: they pass what an author's words must pass, and become a program again.

Three checks, the cheap ones first: nothing of the code is given away, the words suffice by the rules that hold for
docstrings, and a program that is written from the words alone, without the examples, passes the suite. A model is asked
again with what its words lacked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pbt_generator.domain.task.wording.instruction import visible, without_examples
from pbt_generator.errors import SandboxRefusedError
from pbt_generator.ports import Advisor, ForeignProgram, RunLimits, Sandbox
from touchstone_runtime.extraction import with_prelude

# So often a model is asked to describe a function.
TRIES = 3
_LIMITS = RunLimits(case_timeout_s=5.0, total_timeout_s=120.0)
# An input and its result are shown where both together are no longer than this.
_MOST_CHARACTERS = 600


@dataclass(frozen=True)
class Posed:
    """What a program is written for.

    Attributes:
        entry_point: The function's name.
        head: Its head in Python.
        prelude: Imports that a solution is given.
        suite: The frozen suite.
        cases: Arguments and result of each of its cases, in order.
    """

    entry_point: str
    head: str
    prelude: str
    suite: bytes
    cases: Sequence[tuple[str, str]] = ()


async def misled(advisor: Advisor, sandbox: Sandbox, words: str, posed: Posed) -> str:
    """What a program gets wrong that the model writes from the words alone; empty where it passes every case.

    Args:
        advisor: Writes the program.
        sandbox: Judges it.
        words: An instruction; its examples are not shown.
        posed: What the program is for.
    """
    code = await advisor.write(without_examples(words), posed.entry_point, posed.head)
    if not code:
        return "no program could be written from it"
    program = ForeignProgram(with_prelude(posed.prelude, code), posed.entry_point)
    try:
        judged = await sandbox.judge(program, posed.suite, limits=_LIMITS, stop_after_failures=1)
    except SandboxRefusedError:
        return "the program that was written from it cannot be run"
    if judged.verdict == "passed":
        return ""
    # What the program gave is foreign text, and says nothing that the right result does not.
    for failure in judged.failures[:1]:
        if failure.index < len(posed.cases) and sum(map(len, posed.cases[failure.index])) <= _MOST_CHARACTERS:
            arguments, expected = map(visible, posed.cases[failure.index])
            return f"a program that was written from it alone is wrong for `{arguments}`, where `{expected}` is right"
    return "a program that was written from it alone is wrong for some inputs"


__all__ = ["TRIES", "Posed", "misled"]
