"""From a certified suite to a task: signatures, instruction, difficulty, blobs."""

from __future__ import annotations

import json
from typing import Any, cast

from pbt_generator.domain.refusals import Reason, Refusal
from pbt_generator.domain.task import BuiltTask, Difficulty, Subject
from pbt_generator.domain.wording import instruction as wording
from pbt_generator.domain.wording.difficulty import difficulty, measure
from pbt_generator.domain.wording.observed import Observed, observe, signatures
from pbt_generator.domain.wording.rendering import NUMBERS_DIFFER, numbers_of_both_kinds, rendering_rules
from pbt_generator.ports import Advisor, Blobs
from pbt_generator.usecases.build import BUILDER, BuiltSuite, Candidate, RefusedSuite, Workshop, build_suite
from touchstone_values import parse

HEURISTIC = "heuristic"
_LEVELS: dict[str, Difficulty] = {"easy": "Easy", "medium": "Medium", "hard": "Hard"}


class TaskBuilder:
    """Builds whole tasks.

    Args:
        workshop: What building a suite needs.
        blobs: Where suites, certificates and ground truths are kept.
        advisor: A model that judges and words tasks; None decides by the documented heuristics.
    """

    def __init__(self, workshop: Workshop, blobs: Blobs, advisor: Advisor | None = None) -> None:
        self._workshop = workshop
        self._blobs = blobs
        self._advisor = advisor

    async def build(self, subject: Subject) -> BuiltTask | Refusal:
        """The task, or why there is none; see `serve.Builds`."""
        opinion = await self._advisor.judge(subject.code, subject.kind) if self._advisor else None
        if opinion is not None and not opinion.suitable:
            return Refusal(Reason.UNSUITABLE, opinion.reason)
        built = await build_suite(to_candidate(subject), self._workshop)
        if isinstance(built, RefusedSuite):
            return built.refusal
        judged_by = opinion.model if opinion else HEURISTIC
        level = _LEVELS.get(opinion.difficulty.lower()) if opinion else None
        return await self.finish(subject, built, level, judged_by)

    async def finish(
        self, subject: Subject, built: BuiltSuite, level: Difficulty | None = None, judged_by: str = HEURISTIC
    ) -> BuiltTask:
        """Word, sign, judge and store a task whose suite is certified."""
        parameters, result = observed_types(built)
        source, entry = built.program.source, built.program.entry_point
        if level is None:
            level = difficulty(measure(source, entry, subject.complexity))
        suite_digest = await self._blobs.put(built.suite.data)
        certificate = json.dumps(built.certificate.to_dict(), sort_keys=True, ensure_ascii=False).encode()
        return BuiltTask(
            task_id=self._workshop.freezer.task_id(subject.function_id, suite_digest, BUILDER),
            function_id=subject.function_id,
            kind=subject.kind,
            difficulty=level,
            judged_by=judged_by,
            entry_point=entry,
            instruction=await self._instruction(subject, built, parameters, result),
            signatures=signatures(entry, parameters, result),
            prelude="\n".join(subject.imports) + "\n" if subject.imports else "",
            suite_digest=suite_digest,
            certificate_digest=await self._blobs.put(certificate),
            ground_truth_digest=await self._blobs.put(source.encode()),
            cases=len(built.cases),
            branch_coverage=built.certificate.branch_coverage,
            mutation_score=built.certificate.mutation_score,
            languages=built.certificate.languages,
            cpu_s=built.cpu_s,
        )

    async def _instruction(
        self, subject: Subject, built: BuiltSuite, parameters: list[tuple[str, Observed]], result: Observed
    ) -> str:
        source, entry = built.program.source, built.program.entry_point
        constants = wording.deciding_constants(source, entry)
        cases = [(case.arguments, case.expected) for case in built.cases]
        rules = [wording.MAP_ORDER] if built.certificate.reads_map_order else []
        if subject.kind == "SC":
            rules += rendering_rules(source, entry, cases)
        elif numbers_of_both_kinds(expected for _, expected in cases):
            rules.append(NUMBERS_DIFFER)
        shown = wording.examples([(case.arguments, case.expected, case.way) for case in built.cases])
        plain = wording.compose(
            entry, subject.kind, subject.docstring, parameters, result, shown, constants, subject.libraries, rules
        )
        worded = await self._advisor.word(plain, subject.kind) if self._advisor else None
        if worded is None:
            return plain
        # A model may improve the words; it may neither give the code away nor drop a rule.
        if wording.leaks(worded.text, source, entry, subject.docstring) or wording.unmentioned(constants, worded.text):
            return plain
        return "\n\n".join([worded.text, *(rule for rule in rules if rule not in worded.text)])


def to_candidate(subject: Subject) -> Candidate:
    """A subject as the suite builder takes it."""
    return Candidate(
        function_id=subject.function_id,
        name=subject.name,
        qualname=subject.qualname,
        code=subject.code,
        imports=subject.imports,
        kind=subject.kind,
        complexity=subject.complexity,
        libraries=subject.libraries,
    )


def observed_types(built: BuiltSuite) -> tuple[list[tuple[str, Observed]], Observed]:
    """Types of the parameters and of the result, as the suite's values show them."""
    shape = built.shape
    columns: dict[str, list[Any]] = {parameter.name: [] for parameter in shape.parameters}
    for case in built.cases:
        arguments = parse_arguments(case.arguments)
        if isinstance(arguments, dict):
            for name, value in cast("dict[str, Any]", arguments).items():
                columns.setdefault(name, []).append(value)
            continue
        for place, parameter in enumerate(shape.parameters):
            if parameter.variadic:
                columns[parameter.name].append(arguments[place:])
            elif place < len(arguments):
                columns[parameter.name].append(arguments[place])
    result = observe(parse(case.expected) for case in built.cases)
    return [(name, observe(values)) for name, values in columns.items()], result


def parse_arguments(text: str) -> Any:
    """The arguments of a case: a list, or a map of named ones."""
    return json.loads(text)
