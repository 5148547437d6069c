"""Words of a configured model for a task: they pass what an author's words must pass, and become a program again.

Three checks, the cheap ones first: nothing of the code is given away, the words suffice by the rules that hold for
docstrings, and a program that is written from the words alone, without the examples, passes the suite.
"""

from __future__ import annotations

from dataclasses import dataclass

from pbt_generator.domain.task.wording.instruction import without_examples
from pbt_generator.errors import SandboxRefusedError
from pbt_generator.ports import Advisor, ForeignProgram, RunLimits, Sandbox

_LIMITS = RunLimits(case_timeout_s=5.0, total_timeout_s=120.0)


@dataclass(frozen=True)
class Posed:
    """What a program is written for.

    Attributes:
        entry_point: The function's name.
        head: Its head in Python.
        prelude: Imports that a solution is given.
        suite: The frozen suite.
    """

    entry_point: str
    head: str
    prelude: str
    suite: bytes


async def written_back(advisor: Advisor, sandbox: Sandbox, words: str, posed: Posed) -> bool:
    """Whether a program that the model writes from the words alone passes every case.

    Args:
        advisor: Writes the program.
        sandbox: Judges it.
        words: An instruction; its examples are not shown.
        posed: What the program is for.
    """
    code = await advisor.write(without_examples(words), posed.entry_point, posed.head)
    if not code:
        return False
    program = ForeignProgram(f"{posed.prelude}\n{code}", posed.entry_point)
    try:
        judged = await sandbox.judge(program, posed.suite, limits=_LIMITS, stop_after_failures=1)
    except SandboxRefusedError:
        return False
    return judged.verdict == "passed"


__all__ = ["Posed", "written_back"]
