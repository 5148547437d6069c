"""What each service bears with one, two and four replicas: events, tasks, answers, pairs and searches.

Processor-seconds are those that the control groups of the pods count, with all that runs in them.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import disturbing
import installed
import labelled
from usage import EXECUTOR, Usage

from touchstone_local.errors import LocalError

COUNTS = (1, 2, 4)
FUNCTIONS, TASKS, ANSWERS = 1000, 12, 60
# With runner pods each of some thirty jobs of a task, and each answer, has a pod of its own.
TASKS_IN_PODS, ANSWERS_IN_PODS = 4, 30
RATE, SEARCHING_S = 50.0, 20.0
# As long as a run of so few answers may take.
JUDGED_WITHIN_S = 900
# A branch on each input, so that a suite can be certified; its number in each text that it gives, so that none is
# nearly the same as one of another round, and in no arithmetic, which other numbers may give as well.
TASK = '''
def platform_{number}(minutes: int, doors: int) -> str:
    """Name the platform of train {number}: those {words} minutes late go to the last, others by their doors."""
    if minutes >= {words}:
        return "last {number}"
    if doors > 3:
        return "long {number} " + str(doors)
    return "short {number}"

'''
JUDGE = """
import json, sys, time
from touchstone.evaluator.v1 import evaluator_pb2 as e, evaluator_pb2_grpc as er
from touchstone.pbt_generator.v1 import pbt_generator_pb2 as g, pbt_generator_pb2_grpc as gr
from touchstone_runtime.dialling import dial_blocking
from touchstone_runtime.settings import ServiceSettings
s, count, salt = ServiceSettings(), int(sys.argv[1]), sys.argv[2]
generator = gr.PbtGeneratorServiceStub(dial_blocking(s.pbt_generator_address, s.identity()))
evaluator = er.EvaluatorServiceStub(dial_blocking(s.evaluator_address, s.identity()))
tasks = generator.ListTasks(g.ListTasksRequest(), wait_for_ready=True, timeout=300).tasks
task = next(each.task_id for each in tasks if each.entry_point == "count_vowels")
text = "def count_vowels(text):\\n    mark = {mark!r}\\n    return sum(each in 'aeiou' for each in text.lower())\\n"
answers = [e.SubmittedAnswer(task_id=task, sample=n, text=text.format(mark=f"{salt}-{n}")) for n in range(count)]
digest = evaluator.SubmitAnswers(e.SubmitAnswersRequest(answers=answers)).digest
began = time.monotonic()
# Answers to one task that differ are of a model that was asked at a temperature.
asked = e.StartRunRequest(model=f"loaded-{salt}", answers=digest, samples=count, temperature=1.0)
run = evaluator.StartRun(asked).run_id
while True:
    outcomes = [one.outcome for one in evaluator.GetRun(e.GetRunRequest(run_id=run)).results]
    if len(outcomes) == count and "pending" not in outcomes:
        break
    if time.monotonic() - began > float(sys.argv[3]):
        sys.exit(f"{outcomes.count('pending')} of {count} answers have no verdict")
    time.sleep(0.5)
print(json.dumps({"seconds": time.monotonic() - began, "passed": outcomes.count("passed")}))
"""
Line = dict[str, Any]
Measured = dict[str, Callable[[int], Line]]


def loaded(_seconds: float) -> Line:
    """The same work with one, two and four replicas of each service that does it."""
    return _each(
        (("embedder", "retriever"), nullcontext(), {"functions": _functions}),
        # Together: with runner pods a new executor attacks some twenty of them before it takes a job.
        (("pbt-generator", "evaluator", EXECUTOR), nullcontext(), {"tasks": _tasks, "answers": _answers}),
        (("retriever", "embedder"), nullcontext(), {"searches": _searches}),
    )


def pairs(_seconds: float) -> Line:
    """The same for annotators, beside a model that answers after a fixed time."""
    return _each(((labelled.ANNOTATOR,), labelled.with_model(), {kind: _labels_of(kind) for kind in labelled.KINDS}))


def _each(*groups: tuple[Sequence[str], AbstractContextManager[None], Measured]) -> Line:
    """What is measured of each group of services, while something is as it has to be for it."""
    came: dict[str, dict[int, Line]] = {}
    for services, around, measured in groups:
        try:
            with around:
                _by_count(services, measured, came)
        except (RuntimeError, LocalError) as error:
            for name in measured:
                came.setdefault(name, {})[0] = {"problem": str(error)}
    problem = "; ".join(
        f"{name} with {count}: {line['problem']}"
        for name, lines in came.items()
        for count, line in lines.items()
        if line.get("problem")
    )
    return {**came, "problem": problem}


def _by_count(services: Sequence[str], measured: Measured, came: dict[str, dict[int, Line]]) -> None:
    """Measure with each count of replicas, and leave one."""
    try:
        for count in COUNTS:
            for name, line in _with(count, services, measured).items():
                came.setdefault(name, {})[count] = line
    finally:
        for service in services:
            installed.scale(service, 1)


def _with(count: int, services: Sequence[str], measured: Measured) -> dict[str, Line]:
    """What is measured with so many replicas; what cannot be measured takes nothing from the rest."""
    began = time.monotonic()
    try:
        for service in services:
            installed.scale(service, count)
    except RuntimeError as error:
        return {name: {"problem": str(error)} for name in measured}
    ready_s = round(time.monotonic() - began, 1)
    lines: dict[str, Line] = {}
    for name, measure in measured.items():
        load = os.getloadavg()[0]
        try:
            line = measure(count)
        except RuntimeError as error:
            line = {"problem": str(error)}
        lines[name] = {"ready_s": ready_s, "load": [round(load), round(os.getloadavg()[0])], **line}
    return lines


def _functions(_count: int) -> Line:
    """A thousand functions, from the folder into the index."""
    return _taken_in(
        disturbing.FUNCTION,
        "station",
        FUNCTIONS,
        ("ingester", "embedder", "retriever", "pbt-generator"),
        disturbing.indexed,
    )


def _tasks(_count: int) -> Line:
    """Functions with a branch, from the folder to a decision about each."""

    def decided(functions: str) -> int:
        named = f"function->>'qualname' LIKE '{functions}'"
        return int(installed.sql(f"SELECT count(*) FROM pbt_generator.decisions WHERE {named}"))

    # A look runs a command in the database's pod, which those that run pods have to do as well.
    many, every_s = (TASKS_IN_PODS, 5.0) if installed.has_pods() else (TASKS, 2.0)
    line = _taken_in(TASK, "platform", many, ("pbt-generator", EXECUTOR), decided, every_s)
    certified = installed.sql(
        "SELECT count(*) FROM pbt_generator.decisions WHERE task_id IS NOT NULL AND "
        f"function->>'qualname' LIKE '{line['functions']}'"
    )
    return line | {"certified": int(certified)}


def _taken_in(
    text: str, name: str, many: int, services: Sequence[str], done: Callable[[str], int], every_s: float = 2.0
) -> Line:
    salt = int(time.time())
    functions = f"{name}_{salt}%"
    with disturbing.written("loaded", salt, many, text) as folder:
        usage = Usage(services)
        disturbing.add(folder)
        installed.until("all is done", lambda: usage.look() and done(functions) >= many, every_s=every_s)
        return {"functions": functions, **usage.told(many)}


def _answers(_count: int) -> Line:
    """Right answers to one task, from the run's start to the last verdict."""
    many = ANSWERS_IN_PODS if installed.has_pods() else ANSWERS
    usage = Usage(("evaluator", EXECUTOR))
    pod = next(filter(installed.is_ready, installed.pods("evaluator")))["metadata"]["name"]
    words = (str(many), str(int(time.time())), str(JUDGED_WITHIN_S))
    came = json.loads(installed.last_line(pod, JUDGE, *words))
    usage.look()
    problem = "" if came["passed"] == many else f"{came['passed']} of {many} right answers passed"
    return {**usage.told(many, came["seconds"]), "problem": problem}


def _labels_of(kind: str) -> Callable[[int], Line]:
    return lambda _count: labelled.labelled(kind)


def _searches(count: int) -> Line:
    """Fifty searches a second."""
    load = installed.Load(RATE, SEARCHING_S, count)
    load.begun()
    usage = Usage(("retriever", "embedder"))
    came = load.ended()
    usage.look()
    kept = {name: came[name] for name in ("failed", "p50_s", "p99_s", "longest_s")}
    return {**usage.told(came["searches"]), **kept, "problem": "searches failed" if came["failed"] else ""}
