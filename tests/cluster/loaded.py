"""What each service bears with one, two and four replicas: events, tasks, answers and searches, processors and memory.

Processor-seconds are those that the control groups of the pods count, with all that runs in them.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

import disturbing
import installed

COUNTS = (1, 2, 4)
FUNCTIONS, TASKS, ANSWERS = disturbing.COUNT, 12, 60
# With runner pods each of some thirty jobs of a task, and each answer, has a pod of its own.
TASKS_IN_PODS, ANSWERS_IN_PODS = 4, 30
RATE, SEARCHING_S = 50.0, 20.0
EXECUTOR, JOBS = "sandbox-executor", "touchstone_sandbox_executor_jobs_total"
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


def loaded(_seconds: float) -> Line:
    """The same work with one, two and four replicas of each service that does it."""
    came: dict[str, dict[int, Line]] = {}
    for services, measured in (
        (("embedder", "retriever"), {"functions": _functions}),
        # Together: with runner pods a new executor attacks some twenty of them before it takes a job.
        (("pbt-generator", "evaluator", EXECUTOR), {"tasks": _tasks, "answers": _answers}),
        (("retriever", "embedder"), {"searches": _searches}),
    ):
        try:
            for count in COUNTS:
                for name, line in _with(count, services, measured).items():
                    came.setdefault(name, {})[count] = line
        finally:
            for service in services:
                installed.scale(service, 1)
    problem = "; ".join(
        f"{name} with {count}: {line['problem']}"
        for name, lines in came.items()
        for count, line in lines.items()
        if line.get("problem")
    )
    return {**came, "problem": problem}


def _with(count: int, services: Sequence[str], measured: dict[str, Callable[[int], Line]]) -> dict[str, Line]:
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


def _searches(count: int) -> Line:
    """Fifty searches a second."""
    load = installed.Load(RATE, SEARCHING_S, count)
    load.begun()
    usage = Usage(("retriever", "embedder"))
    came = load.ended()
    usage.look()
    kept = {name: came[name] for name in ("failed", "p50_s", "p99_s", "longest_s")}
    return {**usage.told(came["searches"]), **kept, "problem": "searches failed" if came["failed"] else ""}


class Usage:
    """What pods of services take from now on.

    Args:
        services: Whose pods; they stay the same meanwhile.
    """

    def __init__(self, services: Sequence[str]) -> None:
        self._pods = {name: [pod["metadata"]["uid"] for pod in installed.pods(name)] for name in services}
        self._most = dict.fromkeys(services, 0)
        self._jobs = self._counted() if EXECUTOR in services else 0
        self._last = self._before = self._processors()
        self._began = self._ended = time.monotonic()

    def look(self) -> bool:
        """Note what is in use now; for use in conditions."""
        self._ended = time.monotonic()
        self._last = self._processors()
        for name, pods in self._pods.items():
            resident = [
                int(text.split("total_rss ")[1].split()[0]) for text in self._read(pods, "memory", "memory.stat")
            ]
            self._most[name] = max(self._most[name], *resident)
        return True

    def told(self, many: int, seconds: float = 0.0) -> Line:
        """What so many pieces of work took.

        Args:
            many: Pieces.
            seconds: How long they took; 0: from the beginning to the last look.
        """
        took = seconds or self._ended - self._began
        each = {name: round((self._last[name] - self._before[name]) / many, 4) for name in self._before}
        line = {
            "pieces": many, "seconds": round(took, 1), "a_second": round(many / took, 2), "processor_s_each": each,
            "resident_mb": {name: round(most / 1e6) for name, most in self._most.items()},
        }  # fmt: skip
        return line | ({"jobs_each": round((self._counted() - self._jobs) / many, 1)} if EXECUTOR in self._pods else {})

    @staticmethod
    def _counted() -> int:
        """Jobs that executors have ended; their pods are the same from first to last."""
        return sum(installed.counted(pod, JOBS) for pod in installed.pods(EXECUTOR))

    def _processors(self) -> dict[str, float]:
        """Processor-seconds of each service, of all pods, those that have ended among them, and of what runs them."""
        used = {
            name: sum(int(text) for text in self._read(pods, "cpuacct", "cpuacct.usage")) / 1e9
            for name, pods in self._pods.items()
        }
        return used | {"all pods": installed.processor_s(), "node": installed.processor_s("daemons")}

    @staticmethod
    def _read(pods: Sequence[str], hierarchy: str, file: str) -> list[str]:
        pattern = " ".join(f"/sys/fs/cgroup/{hierarchy}/kubepods/*/pod{uid}/{file}" for uid in pods)
        script = f"for file in {pattern}; do cat $file || exit 1; echo ---; done"
        return [text for text in installed.call("sh", "-c", script).split("---") if text.strip()]
