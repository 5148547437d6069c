"""From a certified suite to a task: signatures, instruction, difficulty, blobs."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from pbt_generator.domain.inputs.inference.docstrings import read_docstring
from pbt_generator.domain.inputs.portable import UnportableError, dump, tree_of
from pbt_generator.domain.refusals import Reason, Refusal
from pbt_generator.domain.task.record import BuiltTask, Difficulty, Subject
from pbt_generator.domain.task.wording import instruction as wording
from pbt_generator.domain.task.wording.afterwards import kept_fields, of_a_method, without_object
from pbt_generator.domain.task.wording.choices import outside_choices
from pbt_generator.domain.task.wording.constants import (
    deciding_constants,
    given_keys,
    possible_keys,
    sentences,
    silent_constants,
    unexplained,
)
from pbt_generator.domain.task.wording.contradicting import contradictions, disagreements
from pbt_generator.domain.task.wording.difficulty import difficulty, measure
from pbt_generator.domain.task.wording.examples import examples
from pbt_generator.domain.task.wording.giveaways import leaks, own_lines, without_lines
from pbt_generator.domain.task.wording.heads import signatures
from pbt_generator.domain.task.wording.mentions import unmentioned
from pbt_generator.domain.task.wording.observed import Observed, observe, with_keys, words
from pbt_generator.domain.task.wording.operations import UNJUDGED, constructor_words, operation_rules
from pbt_generator.domain.task.wording.places import leaning, placeless, unconditional
from pbt_generator.domain.task.wording.prose import Prose, absent_names, gaps, read_prose
from pbt_generator.domain.task.wording.reading_rules import OVERFLOW, reading_rules, shows_wide, unplaced
from pbt_generator.domain.task.wording.rendering import NUMBERS_DIFFER, numbers_of_both_kinds, rendering_rules
from pbt_generator.domain.task.wording.rewording import with_facts
from pbt_generator.domain.task.wording.sections import cut
from pbt_generator.domain.task.wording.told import Told, unchanging, without_effect
from pbt_generator.ports import Advisor, Blobs
from pbt_generator.usecases.build import BUILDER, BuiltSuite, Candidate, RefusedSuite, Workshop, build_suite
from pbt_generator.usecases.describing import TRIES, Posed, misled
from pbt_generator.usecases.ordinary import usualness
from touchstone_runtime.storable import spelt_out
from touchstone_runtime.wordings import BY_EXAMPLE, DESCRIBED
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
        told = told_parameters(subject, built, parameters)
        source, entry = built.program.source, built.program.entry_point
        heads = signatures(entry, told, result)
        prelude = "\n".join(subject.imports) + "\n" if subject.imports else ""
        cases = [(case.arguments, case.expected) for case in built.cases]
        posed = Posed(entry, heads["python"], prelude, built.suite.data, cases)
        worded = await self._worded(subject, built, told, result, posed)
        if level is None:
            level = difficulty(measure(source, entry, subject.complexity))
        suite_digest = await self._blobs.put(built.suite.data)
        if built.robustness.suite is not None:
            await self._blobs.put(built.robustness.suite.data)
        proved = built.certificate.to_dict() | ({"words": worded.proof} if worded.proof else {})
        certificate = json.dumps(proved, sort_keys=True, ensure_ascii=False).encode()
        return BuiltTask(
            task_id=self._workshop.freezer.task_id(subject.function_id, suite_digest, BUILDER),
            function_id=subject.function_id,
            kind=subject.kind,
            difficulty=level,
            judged_by=judged_by,
            entry_point=entry,
            instruction=worded.text,
            signatures=heads,
            prelude=prelude,
            suite_digest=suite_digest,
            certificate_digest=await self._blobs.put(certificate),
            ground_truth_digest=await self._blobs.put(source.encode()),
            cases=len(built.cases),
            branch_coverage=round(built.certificate.coverage.share, 4),
            mutation_score=round(built.certificate.mutation.score, 4),
            languages=built.certificate.languages,
            track=BY_EXAMPLE if worded.gaps else DESCRIBED,
            gaps=tuple(worded.gaps),
            real_cases=worded.real,
            domain=_domain(told, built),
            cpu_s=built.cpu_s,
        )

    async def _worded(
        self, subject: Subject, built: BuiltSuite, told: Sequence[Told], result: Observed, posed: Posed
    ) -> _Words:
        """An author's words, reworded where a model is configured; where they do not suffice, a model's own."""
        own, facts = _composed(subject, built, told, result)
        if self._advisor is None:
            return own
        if own.gaps:
            return await self._described(self._advisor, subject, built, told, result, posed) or own
        reworded = await self._advisor.word(own.text, subject.kind)
        # A model may improve the words; it may neither give the code away, drop a fact nor make one up.
        text = with_facts(own.text, spelt_out(reworded.text), told, result, facts.rules) if reworded else None
        if reworded is None or text is None or _lacks(text, told, result, posed, subject):
            return own
        if leaks(text, built.program.source, posed.entry_point, subject.docstring):
            return own
        if await misled(self._advisor, self._workshop.sandbox, text, posed):
            return own
        return _by(reworded.model, text, own.real, built)

    async def _described(
        self, advisor: Advisor, subject: Subject, built: BuiltSuite, told: Sequence[Told], result: Observed,
        posed: Posed,
    ) -> _Words | None:  # fmt: skip
        """A model's description, asked for again with what the one before lacked; None where none passes."""
        source, lacking = built.program.source, list[str]()
        for _ in range(TRIES):
            described = await advisor.describe(source, subject.kind, [each.name for each in told], lacking)
            if described is None:
                return None
            author = replace(subject, docstring=described.docstring)
            # It is asked for in prose alone: nothing of it is markup, and what is cut off may be the rule.
            prose = Prose(described.text.strip(), described.parameters, described.result.strip(), neutral=True)
            meant = [replace(each, meaning=prose.parameters.get(each.name, "")) for each in told]
            words, facts = _composed(author, built, meant, result, prose)
            given_away = leaks(words.text, source, posed.entry_point, subject.docstring)
            lacking = [
                *words.gaps,
                *(f"it does not name `{value}`, as it stands in the code, and what it is for" for value in facts.dark),
                *(f"it gives `{each}` of the code away" for each in given_away),
            ]
            if not lacking:
                wrong = await misled(advisor, self._workshop.sandbox, words.text, posed)
                if not wrong:
                    return _by(described.model, words.text, words.real, built)
                lacking = [wrong]
        return None


@dataclass(frozen=True)
class _Words:
    """An instruction, what its description lacks, and how many cases have inputs that callers really send.

    `proof` says of a model's words who wrote them, and how many cases a program passes that was made of them alone.
    """

    text: str
    gaps: list[str]
    real: int
    proof: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class _Facts:
    """What any words must keep: rules.

    `dark` has the values that decide, stand nowhere else, and of which no sentence of ours says enough either.
    """

    rules: list[str]
    dark: list[Any]


def _lacks(text: str, told: Sequence[Told], result: Observed, posed: Posed, subject: Subject) -> list[str]:
    """Why words that were put in the place of an author's are not enough, or what in them the cases contradict."""
    prose = Prose(wording.without_examples(text))
    against = [*disagreements(prose.text, told, result), *outside_choices(prose.text, told, posed.cases)]
    names, decisions = [each.name for each in told], subject.complexity - 1
    return gaps(prose, names, (), against=against, entry_point=posed.entry_point, decisions=decisions)


def _by(model: str, text: str, real: int, built: BuiltSuite) -> _Words:
    """A model's words that passed."""
    return _Words(text, [], real, {"by": model, "written_back": len(built.cases)})


def _composed(
    subject: Subject, built: BuiltSuite, told: Sequence[Told], result: Observed, prose: Prose | None = None
) -> tuple[_Words, _Facts]:
    """The instruction by the docstring, or by words that are taken as they stand, and what it rests on."""
    source, entry = built.program.source, built.program.entry_point
    names = [each.name for each in told]
    if prose is None:
        prose = without_lines(read_prose(_docstring(subject, entry, names)), own_lines(source, entry))
    cases = [(case.arguments, case.expected) for case in built.cases]
    rules = [wording.MAP_ORDER] if built.certificate.reads_map_order else []
    if subject.kind == "SC":
        rules += [*rendering_rules(source, cases), *reading_rules(built.certificate.readings, cases, source)]
    elif numbers_of_both_kinds(expected for _, expected in cases):
        rules.append(NUMBERS_DIFFER)
    rules = [*operation_rules(source, entry, portable=subject.kind == "SC"), *rules]
    if subject.form == "record":
        rules = [*of_a_method(prose.text, subject.qualname, names), *kept_fields(source, entry), *rules]
    settled = unchanging(source, entry, portable=subject.kind == "SC")
    ways = [(case.arguments, case.expected, case.way) for case in built.cases]
    constants = deciding_constants(source)
    usual = usualness(built.program, built.shape, [case.arguments for case in built.cases])
    shown = examples(ways, built.rank, built.told_apart, constants, usual)
    if shows_wide(shown):
        rules = [rule for rule in rules if rule != OVERFLOW]
    real = built.rank.count(0)
    # What is left out of a docstring explains nothing.
    read = [prose.text, prose.returns, *(each.meaning for each in told), *prose.raises]
    worded_rules = "\n".join([*read, *rules])
    kinds = [words(seen) for seen in (*(each.seen for each in told), result)]
    untold = unmentioned(
        constants, "\n".join([worded_rules, *settled, *kinds]), [part for case in shown for part in case]
    )
    # A limit or a pattern that happens to stand in an example tells nobody that it is one.
    untold += [value for value in unmentioned(silent_constants(source), worded_rules) if value not in untold]
    rules = [*settled, *without_effect(source, entry, names), *rules]
    refused = [text for text in built.certificate.raising_inputs if len(text) <= 80][:2]
    if not refused and not any(isinstance(node, ast.Raise) for node in ast.walk(ast.parse(source))):
        # An error that only what it calls might raise is no part of the task.
        prose = replace(prose, raises=())
    values = sentences(source, untold, names, [each.name for each in told if each.seen.name == "text"])
    own = [each for each in constants if isinstance(each, str)]
    plain = wording.compose(
        entry, subject.kind, prose, told, result, shown, values, subject.libraries, rules, refused, own
    )
    wrong = contradictions(subject.docstring, entry, dict(cases), _portable, names)
    against = disagreements(subject.docstring, told, result)
    against += outside_choices(subject.docstring, told, cases)
    against += unplaced(rules)
    absent = absent_names(prose, entry, *wording.own_parameters(source, entry), names)
    decisions = subject.complexity - 1
    known = [entry, *names, *(name for each in values for name in re.findall(r"`(\w+)`", each))]
    doctests = "".join(read_docstring(prose.text).calls)
    open_ended = (
        placeless(prose, result, re.search(rf"(?<![\w.])_*{re.escape(entry)}\(", doctests) is not None),
        leaning(prose, known),
        unconditional(prose, cases),
    )
    against += [phrase for phrase in open_ended if phrase]
    if subject.form == "sequence":
        against.append(UNJUDGED)
    dark = unexplained(source, untold)
    missing = gaps(prose, names, dark, wrong, absent, against, entry, decisions)
    return _Words(spelt_out(plain), missing, real), _Facts(rules, dark)


def _docstring(subject: Subject, entry_point: str, names: Sequence[str]) -> str:
    """What an author wrote of a task."""
    written = without_object(subject.docstring, names) if subject.form == "record" else subject.docstring
    return cut(written, entry_point, names)


def _domain(told: Sequence[Told], built: BuiltSuite) -> dict[str, str]:
    """The domain of every parameter in words: its kind, its limits, and in brackets where that comes from."""
    found: dict[str, str] = {}
    for each in told:
        clauses = built.certificate.inputs.domain.get(each.name, [])
        stated = [clause["text"] for clause in clauses if clause["about"] == "limit"]
        sources = dict.fromkeys(clause["source"] for clause in clauses)
        found[each.name] = ", ".join([words(each.seen), *stated]) + (f" ({', '.join(sources)})" if sources else "")
    return found


def _portable(value: object) -> str | None:
    try:
        return dump(tree_of(value))
    except (UnportableError, RecursionError):
        return None


def told_parameters(subject: Subject, built: BuiltSuite, seen: Sequence[tuple[str, Observed]]) -> list[Told]:
    """What a solver is told of every parameter."""
    docstring = _docstring(subject, built.program.entry_point, [name for name, _ in seen])
    program = built.program
    meanings = constructor_words(program.source, program.entry_point) | dict(read_prose(docstring).parameters)
    shapes = {parameter.name: parameter for parameter in built.shape.parameters}
    given = [parse_arguments(case.arguments) for case in built.cases]
    told: list[Told] = []
    for place, (name, observed) in enumerate(seen):
        shape = shapes.get(name)
        variadic = shape is not None and shape.variadic
        told.append(
            Told(
                name,
                observed,
                meanings.get(name, ""),
                repr(shape.default[0]) if shape is not None and shape.default else "",
                variadic,
                shape is not None and shape.keyword_only,
                not variadic and any(_leaves_out(each, place, name) for each in given),
            )
        )
    return told


def _leaves_out(arguments: Any, place: int, name: str) -> bool:
    return name not in arguments if isinstance(arguments, dict) else place >= len(arguments)


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
        form=subject.form,
        calls=subject.calls,
        seen=subject.seen,
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
    source = built.program.source
    keys = possible_keys(source)
    told = [(name, with_keys(observe(values), keys)) for name, values in columns.items()]
    return told, with_keys(result, keys, given_keys(source))


def parse_arguments(text: str) -> Any:
    """The arguments of a case: a list, or a map of named ones."""
    return json.loads(text)
