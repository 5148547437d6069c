"""What strategies share: how a task is put to a model, and what becomes of the answer."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from evaluator.domain.exercises import WRITE
from evaluator.domain.outcomes import Outcome
from evaluator.domain.runs import Run
from evaluator.domain.specification import Sampling
from evaluator.domain.tasks import Effort, Solution, Task, solution_id
from evaluator.ports import CodeSearch, DocumentSearch, LanguageModels, Said, Sandbox
from touchstone_runtime.extraction import Found, answer_of, extract, parse, with_prelude

LANGUAGES = {
    "python": "Python",
    "javascript": "JavaScript",
    "typescript": "TypeScript",
    "java": "Java",
    "go": "Go",
}
_SHOWN = 4000


class Strategy(Protocol):
    """A way of making a model solve a task."""

    @property
    def prompts(self) -> tuple[str, ...]:
        """The prompt files that it uses."""
        ...

    @property
    def bounds(self) -> Mapping[str, int]:
        """Every bound that decides its answers, by name; a run's specification fixes them."""
        ...

    @property
    def parts(self) -> tuple[str, ...]:
        """What it can go without: the variant "no-" and the name of a part leaves that part out."""
        ...

    def variant(self, text: str) -> str:
        """The canonical text of a variant.

        Raises:
            ValueError: There is no such variant.
        """
        ...

    async def solve(self, run: Run, task: Task, sample: int = 0) -> Solution:
        """Answer one task in the run's track and within its bounds; whatever the model says is a value.

        Raises:
            SuspendedError: A model, the search or the sandbox is away, or the budget is spent.
        """
        ...


def tracks_of(strategy: Strategy) -> Collection[str]:
    """The tracks that a strategy can be asked in, its attribute `tracks`; where it has none, writing alone."""
    return getattr(strategy, "tracks", (WRITE,))


@dataclass(frozen=True)
class Workbench:
    """What a strategy can stand on.

    Attributes:
        models: The models under test; every question passes the ledger.
        search: The code that was ingested.
        documents: The documentation of the packages that programs can import.
        sandbox: Runs drafts. Nothing of an answer runs anywhere else.
        max_tokens: Upper bound of a program's length.
    """

    models: LanguageModels
    search: CodeSearch
    documents: DocumentSearch
    sandbox: Sandbox
    max_tokens: int


@dataclass
class Draft:
    """A solution in the making: effort and steps add up."""

    run: Run
    task: Task
    sample: int = 0
    effort: Effort = field(default_factory=Effort)
    steps: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    # Of the exercise, where the task is put as one.
    suite_digest: str = ""
    reference_cpu_s: float = 0.0
    # What the program is to define; empty where it is the task's own name.
    entry_point: str = ""

    @property
    def sampling(self) -> Sampling:
        """How the model is asked for this answer."""
        return self.run.spec.sampling(self.sample)

    def note(self, name: str, outcome: str, **detail: Any) -> None:
        """Record what a step did."""
        self.steps.append({"name": name, "outcome": outcome, **detail})

    def spend(self, effort: Effort) -> None:
        """Count what an answer took."""
        self.effort += effort

    def finished(self, code: str, *, whole: bool = False) -> Solution:
        """A program that is worth running; one that is whole needs no imports of the task's."""
        bare = not whole and self.run.spec.language == "python"
        complete = with_prelude(self.task.prelude, code) if bare else code
        return self._solution(complete, None, "")

    def given_up(self, outcome: Outcome, detail: str) -> Solution:
        """An end that needs no sandbox."""
        return self._solution("", outcome, detail)

    def _solution(self, code: str, outcome: Outcome | None, detail: str) -> Solution:
        return Solution(
            solution_id=solution_id(self.run.run_id, self.task.task_id, code, outcome, self.sample),
            code=code,
            effort=self.effort,
            outcome=outcome,
            detail=detail[:_SHOWN],
            steps=tuple(self.steps),
            suite_digest=self.suite_digest,
            reference_cpu_s=self.reference_cpu_s,
            entry_point=self.entry_point,
        )


def described(task: Task, language: str) -> dict[str, str]:
    """What every prompt says of a task."""
    imports = ""
    if language == "python" and task.prelude.strip():
        imports = f"These imports are in place already:\n```\n{task.prelude.strip()}\n```\n"
    return {
        "language": LANGUAGES.get(language, language),
        "entry_point": task.entry_point,
        "signature": task.signatures.get(language) or task.entry_point,
        "instruction": task.instruction.strip(),
        "imports": imports,
    }


def program_of(draft: Draft, said: Said) -> Solution | None:
    """The solution that an answer amounts to when it holds no program; None when `code_of` has one."""
    if said.refused:
        draft.note("answer", "refused", detail=said.refused[:_SHOWN])
        return draft.given_up(Outcome.REFUSED, said.refused)
    answer = answer_in(draft, said)
    found = extract(answer, draft.task.entry_point, draft.run.spec.language)
    cut = " The answer was cut at its bound." if said.truncated else ""
    draft.note("answer", found.found.value, answer=answer[:_SHOWN], truncated=said.truncated, **beside(said))
    match found.found:
        case Found.PROGRAM | Found.UNPARSABLE:
            return None
        case Found.OTHER:
            return draft.given_up(
                Outcome.NO_ENTRY_POINT, f"the answer's code does not define {draft.task.entry_point}.{cut}"
            )
        case Found.NOTHING:
            return draft.given_up(Outcome.NO_CODE, f"the answer holds no code.{cut}")


def beside(said: Said) -> dict[str, str | int]:
    """What else the step of an answer notes, where there is any."""
    told = {"thought_tokens": said.thought_tokens, "answered_by": said.answered_by}
    return {name: value for name, value in told.items() if value}


def code_of(draft: Draft, said: Said) -> str:
    """The program in an answer, without the prelude."""
    return extract(answer_in(draft, said), draft.task.entry_point, draft.run.spec.language).code


def answer_in(draft: Draft, said: Said) -> str:
    """What a model answered without what it thought before; a bare program is all answer."""
    language = draft.run.spec.language
    bare = language == "python" and parse(said.text) is not None
    return said.text if bare else answer_of(said.text, draft.task.entry_point, language)
