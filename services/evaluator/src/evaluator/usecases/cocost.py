"""CoCoST: plan, search, draft, try on inputs, look at what happened, refine.

Source: CoCoST. Every part can be left out (see `domain.cocost.Part`); whatever a model cannot do is recorded
as a step and the strategy goes on without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import compress
from typing import Annotated

from pydantic import BaseModel, Field

from evaluator.domain.cocost import (
    PROBE,
    UNMADE,
    Bounds,
    Part,
    error_query,
    leaks,
    own_names,
    parse_variant,
    probe_program,
    same_project,
    usable_arguments,
    usable_calls,
    variant_text,
)
from evaluator.domain.copies import is_copy
from evaluator.domain.found import Document, Snippet
from evaluator.domain.runs import Run
from evaluator.domain.serialise import describe, shorten
from evaluator.domain.tasks import Solution, Task
from evaluator.ports import CallRun, CodeSearch, DocumentSearch, LanguageModels, Sandbox
from evaluator.usecases.strategies import Draft, answer_in, code_of, described, program_of
from touchstone_runtime.extraction import Extraction, extract, with_prelude

_PLAN_TOKENS = 640
_INPUT_TOKENS = 512
_SNIPPET = 1500
# Asked for beyond the wanted number, because the task's own source is thrown away.
_SPARE_RESULTS = 15


class PlanStep(BaseModel):
    """One step of a plan."""

    # The bounds let an answer that is held to the form end before its tokens do.
    step: str = Field(max_length=160)
    search_query: str = Field("", max_length=100)


class Plan(BaseModel):
    """How a function will be written."""

    steps: list[PlanStep] = Field(min_length=1, max_length=8)


class Inputs(BaseModel):
    """Calls that try a function."""

    calls: list[Annotated[str, Field(max_length=160)]] = Field(max_length=10)


# Of the way itself, among the bounds of a run: 2 searches only where a plan asks, runs the last refinement, and never
# ends with a program that answers fewer of its calls than the draft did; 3 searches documents too, shows pictures;
# 4 shows no copy under the author's own name, nor without `output` what returned; 5 none under any other name; 6 none
# of what a task took along either, tells no call whose arguments cannot be made, and takes no placeholder for better.
_VERSION = 6
_Found = Snippet | Document


class Cocost:
    """A solver that searches, runs and refines.

    Args:
        models: The models under test.
        search: The code that was ingested.
        documents: The documentation of what programs can import.
        sandbox: Where drafts run.
        showing: What runs behind a draft so that its results can be shown, see `probe_program`.
        bounds: How much may be done for one task.
        max_tokens: Upper bound of each program's length.
    """

    prompts = ("cocost_plan_v1", "cocost_draft_v1", "cocost_inputs_v1", "cocost_arguments_v1", "cocost_refine_v1")
    parts = tuple(part.value for part in Part)

    def __init__(
        self,
        models: LanguageModels,
        search: CodeSearch,
        documents: DocumentSearch,
        sandbox: Sandbox,
        bounds: Bounds,
        *,
        max_tokens: int,
        showing: str,
    ) -> None:
        self._models = models
        self._search = search
        self._documents = documents
        self._sandbox = sandbox
        self._showing = showing
        self.bounds = {
            "tokens": max_tokens,
            "searches": bounds.searches,
            "inputs": bounds.inputs,
            "rounds": bounds.rounds,
            "version": _VERSION,
        }

    def variant(self, text: str) -> str:
        """Parts that are left out, in one order."""
        return variant_text(parse_variant(text))

    def _bound(self, draft: Draft, name: str) -> int:
        return draft.run.spec.bound(name, self.bounds[name])

    async def solve(self, run: Run, task: Task, sample: int = 0) -> Solution:
        """Solve one task."""
        draft = Draft(run, task, sample)
        off = parse_variant(run.spec.variant)
        about = described(task, run.spec.language)
        plan = None if Part.PLAN in off else await self._plan(draft, about)
        found: list[_Found] = []
        if Part.SEARCH not in off:
            wanted = _queries(plan, task, self._bound(draft, "searches"), planned=Part.PLAN not in off)
            found = await self._find(draft, wanted, off)
        code = await self._draft(draft, about, plan, found)
        if isinstance(code, Solution):
            return code
        calls = [] if Part.INPUTS in off else await self._inputs(draft, about)
        if run.spec.language != "python" and not calls:
            draft.note("execution", "left_out", detail="without inputs a draft is run in Python only")
            return draft.finished(code)
        return draft.finished(await self._refine(draft, about, code, calls, off))

    async def _plan(self, draft: Draft, about: dict[str, str]) -> Plan | None:
        filled = await self._models.fill(
            draft.run.spec.endpoint,
            "cocost_plan_v1",
            Plan,
            max_tokens=_PLAN_TOKENS,
            sampling=draft.sampling,
            **about,
        )
        draft.spend(filled.effort)
        if filled.value is None:
            draft.note("plan", "unusable", detail=filled.problem)
            return None
        draft.note("plan", "made", steps=[step.model_dump() for step in filled.value.steps])
        return filled.value

    async def _find(self, draft: Draft, queries: Sequence[str], off: frozenset[Part]) -> list[_Found]:
        """For each query the best of the code index and the best of the documents; nothing of the task's own."""
        found: list[_Found] = []
        # Documentation is of packages of Python.
        documented = draft.run.spec.language == "python" and Part.DOCUMENTS not in off and _version(draft.run) > 2
        occasion = f"{draft.run.run_id}/{draft.task.task_id}" + (f"/{draft.sample}" if draft.sample else "")
        most = 1 + _SPARE_RESULTS
        for query in queries:
            snippets = await self._search.search(query, limit=most, occasion=occasion)
            found += _allowed(draft, query, "code", snippets)
            if documented:
                documents = await self._documents.search(query, limit=most, occasion=occasion)
                found += _allowed(draft, query, "documents", documents)
        return found

    async def _draft(
        self, draft: Draft, about: dict[str, str], plan: Plan | None, found: Sequence[_Found]
    ) -> str | Solution:
        steps = "\n".join(f"{n}. {step.step}" for n, step in enumerate(plan.steps, start=1)) if plan else ""
        said = await self._models.ask(
            draft.run.spec.endpoint,
            "cocost_draft_v1",
            max_tokens=self._bound(draft, "tokens"),
            sampling=draft.sampling,
            plan=f"A plan for it:\n{steps}\n" if steps else "",
            found=_shown(found),
            **about,
        )
        draft.spend(said.effort)
        return program_of(draft, said) or code_of(draft, said)

    async def _inputs(self, draft: Draft, about: dict[str, str]) -> list[str]:
        limit, python = self._bound(draft, "inputs"), draft.run.spec.language == "python"
        filled = await self._models.fill(
            draft.run.spec.endpoint,
            "cocost_inputs_v1" if python else "cocost_arguments_v1",
            Inputs,
            max_tokens=_INPUT_TOKENS,
            sampling=draft.sampling,
            limit=str(limit),
            **about,
        )
        draft.spend(filled.effort)
        proposed = filled.value.calls if filled.value else []
        entry = draft.task.entry_point
        calls, refused = usable_calls(proposed, entry, limit) if python else usable_arguments(proposed, limit)
        draft.note("inputs", "chosen" if calls else "none", calls=calls, refused=refused, detail=filled.problem)
        return calls

    async def _refine(
        self, draft: Draft, about: dict[str, str], code: str, calls: Sequence[str], off: frozenset[Part]
    ) -> str:
        """The last program that answers as many of the calls as the ones before it."""
        runs = await self._execute(draft, code, calls, off)
        calls, runs = _that_were_made(draft, calls, runs)
        for _ in range(self._bound(draft, "rounds")):
            failed = [run for run in runs if run.outcome != "returned"]
            if (not failed and (Part.OUTPUT in off or not calls)) or (failed and Part.ERROR in off):
                draft.note("refinement", "left_out")
                return code
            found: list[_Found] = []
            if Part.SEARCH not in off:
                errors = [error_query(run.error_type, run.error_message) for run in failed if run.error_type]
                found = await self._find(draft, list(dict.fromkeys(errors)), off)
            observed = _observed(draft, calls, runs, off)
            better = await self._ask_for_better(draft, about, code, observed, found)
            if better is None:
                return code
            tried = await self._execute(draft, better, calls, off)
            tried = [replace(run, error_type=run.error_type.removeprefix(UNMADE)) for run in tried]
            # A placeholder returns whatever it is asked.
            before = 0 if _found_in(draft, code).is_placeholder else _answered(runs)
            if _answered(tried) < before:
                draft.note("refinement", "worse", answered=_answered(tried), before=before)
                return code
            code, runs = better, tried
        return code

    async def _execute(self, draft: Draft, code: str, calls: Sequence[str], off: frozenset[Part]) -> list[CallRun]:
        language, entry = draft.run.spec.language, draft.task.entry_point
        if language == "python":
            showing = "" if Part.SERIALISE in off or _version(draft.run) < 3 else self._showing
            program = probe_program(with_prelude(draft.task.prelude, code), entry, calls, showing)
            inputs = [f"[{number}]" for number in range(max(1, len(calls)))]
            runs = await self._sandbox.run_calls(program, PROBE, inputs)
        else:
            runs = await self._sandbox.run_calls(code, entry, calls, language)
        draft.note("execution", "run", outcomes=[run.outcome for run in runs])
        return runs

    async def _ask_for_better(
        self, draft: Draft, about: dict[str, str], code: str, observations: str, found: Sequence[_Found]
    ) -> str | None:
        """The refined program, or None when the model keeps the present one or gives none."""
        said = await self._models.ask(
            draft.run.spec.endpoint,
            "cocost_refine_v1",
            max_tokens=self._bound(draft, "tokens"),
            sampling=draft.sampling,
            code=code.strip("\n"),
            observations=observations,
            found=_shown(found),
            **about,
        )
        draft.spend(said.effort)
        if said.refused:
            draft.note("refinement", "refused", detail=said.refused)
            return None
        answer = answer_in(draft, said)
        refined = _found_in(draft, answer)
        if not refined.runnable or refined.is_placeholder:
            draft.note("refinement", "kept" if "CORRECT" in answer else "unusable", answer=answer[:_SNIPPET])
            return None
        if refined.code.strip() == code.strip():
            draft.note("refinement", "unchanged")
            return None
        draft.note("refinement", "changed", code=refined.code)
        return refined.code


def _queries(plan: Plan | None, task: Task, limit: int, *, planned: bool) -> list[str]:
    if planned:
        # A plan that asks for nothing, or that a model could not make, asks for nothing.
        asked = [step.search_query.strip() for step in plan.steps if step.search_query.strip()] if plan else []
        return list(dict.fromkeys(asked))[:limit]
    # Where there shall be no plan, the task's own first words are the query: else it would be an ablation of two parts.
    words = " ".join(task.instruction.split())[:200]
    return [words][:limit] if words else []


def _answered(runs: Sequence[CallRun]) -> int:
    return sum(run.outcome == "returned" for run in runs)


def _found_in(draft: Draft, answer: str) -> Extraction:
    return extract(answer, draft.task.entry_point, draft.run.spec.language)


def _that_were_made(draft: Draft, calls: Sequence[str], runs: list[CallRun]) -> tuple[Sequence[str], list[CallRun]]:
    """Calls and what became of them, without those whose arguments cannot be made: they say nothing of the draft."""
    if not any(run.error_type.startswith(UNMADE) for run in runs):
        return calls, runs
    made = [not run.error_type.startswith(UNMADE) for run in runs]
    draft.note("inputs", "dropped", calls=[call for call, kept in zip(calls, made, strict=True) if not kept])
    return list(compress(calls, made)), list(compress(runs, made))


def _version(run: Run) -> int:
    """Which way a run began with: it goes on with the same, also where the platform has a newer one."""
    return run.spec.bound("version", 1)


def _allowed(draft: Draft, query: str, index: str, results: Sequence[_Found]) -> list[_Found]:
    """The best result that is not the task's own, if there is one; what was found becomes a step."""
    allowed = [result for result in results if not _is_own(result, draft.task)][:1]
    excluded = sum(_is_own(result, draft.task) for result in results)
    outcome = "found" if allowed else "nothing"
    named = [_named(result) for result in allowed]
    draft.note("search", outcome, query=query, index=index, excluded=excluded, results=named)
    return allowed


def _named(found: _Found) -> str:
    if isinstance(found, Document):
        return f"{found.package} {found.version} {found.name}"
    return f"{found.repository} {found.path}:{found.qualname}"


def _is_own(found: _Found, task: Task) -> bool:
    """Whether it could be the task's answer: its own source or documentation, or a copy of the function elsewhere."""
    names = own_names(task.entry_point, task.qualname)
    if isinstance(found, Document):
        named = found.name.rpartition(".")[2] in names
        return named or same_project(found.package, found.name, task.source) or leaks(found.text, names)
    own = found.repository == task.source or found.function_id == task.function_id
    other = not same_project(found.repository.rpartition("/")[2], "", task.source)
    return own or not other or leaks(found.code, names) or is_copy(found.code, task.shapes or task.likeness)


def _shown(found: Sequence[_Found]) -> str:
    code = [
        f"From {snippet.repository}, `{snippet.qualname}`:\n```\n{snippet.code[:_SNIPPET]}\n```"
        for snippet in found
        if isinstance(snippet, Snippet)
    ]
    words = [
        f"From {document.package} {document.version}, `{document.name}`:\n```\n{document.text[:_SNIPPET]}\n```"
        for document in found
        if isinstance(document, Document)
    ]
    parts = ["Code that may help:\n" + "\n".join(code) + "\n"] if code else []
    parts += ["Documentation that may help:\n" + "\n".join(words) + "\n"] if words else []
    return "".join(parts)


def _observed(draft: Draft, calls: Sequence[str], runs: Sequence[CallRun], off: frozenset[Part]) -> str:
    python = draft.run.spec.language == "python"
    gave = " gave [[[arguments, named arguments], result]]" if python else " gave"
    show = shorten if Part.SERIALISE in off else describe
    if not calls:
        return "\n".join(f"Loading it: {_failure(run)}" for run in runs)
    lines: list[str] = []
    for call, run in zip(calls, runs, strict=False):
        if run.outcome == "returned" and Part.OUTPUT in off:
            continue
        made = call if python else f"{draft.task.entry_point}({call[1:-1]})"
        ended = f"{gave}: {show(run.value)}" if run.outcome == "returned" else f" {_failure(run)}"
        lines.append(f"- `{made}`{ended}")
    return "\n".join(lines)


def _failure(run: CallRun) -> str:
    words = f"{run.error_type}: {run.error_message}" if run.error_type else run.error_message
    return f"ended with {run.outcome.replace('_', ' ')}" + (f": {words[:600]}" if words else "")
