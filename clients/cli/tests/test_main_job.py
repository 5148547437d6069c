"""The main job against a platform that works off its topics tick by tick."""

from types import SimpleNamespace

import pytest

from touchstone.annotator.v1 import annotator_pb2
from touchstone.common.v1 import progress_pb2
from touchstone.embedder.v1 import embedder_pb2
from touchstone.evaluator.v1 import evaluator_pb2
from touchstone.ingester.v1 import ingester_pb2
from touchstone.pbt_generator.v1 import pbt_generator_pb2
from touchstone.retriever.v1 import retriever_pb2
from touchstone_cli.errors import CliError
from touchstone_cli.main_job import SILENCE_S, STALL_S, Goals, MainJob, Stage
from touchstone_cli.services import UnreachableError
from touchstone_cli.sources import Wanted

MESSAGES = {
    "ingester": ingester_pb2,
    "embedder": embedder_pb2,
    "retriever": retriever_pb2,
    "annotator": annotator_pb2,
    "pbt-generator": pbt_generator_pb2,
    "evaluator": evaluator_pb2,
}


class Platform:
    """Every source holds four functions, of which every second becomes a task; a tick handles one message a service."""

    def __init__(self, known_tasks=0):
        self.now = 0.0
        self.sources = {}
        self.queue = dict.fromkeys(MESSAGES, 0)
        self.embedded = self.indexed = self.labelled = 0
        self.pairs_total = 0
        self.candidates = 0
        self.tasks = [f"old{n}" for n in range(known_tasks)]
        self.known = known_tasks
        self.runs = {}
        self.calls = []
        self.activities = {name: [] for name in MESSAGES}
        self.away = set()
        self.back_at = float("inf")
        self.frozen = set()

    def services(self):
        return {name: Service(self, name) for name in MESSAGES}

    def wait(self, seconds):
        self.now += seconds
        if self.now >= self.back_at:
            self.away = set()

    def tick(self):
        self.now += 1
        if self.take("ingester"):
            source = next(source for source in self.sources.values() if source["state"] == "waiting")
            source["state"] = "failed" if "broken" in source["name"] else "ingested"
            if source["state"] == "ingested":
                source["functions"] = 4
                self.queue["pbt-generator"] += 4
                self.queue["embedder"] += 4
        if self.take("embedder"):
            self.embedded += 1
            self.queue["retriever"] += 1
        if self.take("retriever"):
            if self.embedded > self.indexed:
                self.indexed += 1
            else:
                self.queue["annotator"] += 1
                self.pairs_total += 1
        if self.take("pbt-generator"):
            self.candidates += 1
            if self.candidates % 2:
                self.tasks.append(f"new{self.candidates}")
        self.known = min(len(self.tasks), self.known + 1)
        if self.take("annotator"):
            self.labelled += 1
        if "evaluator" not in self.frozen:
            for run in self.runs.values():
                run["finished"] = min(len(run["tasks"]), run["finished"] + 1)

    def take(self, name):
        if self.queue[name] and name not in self.frozen:
            self.queue[name] -= 1
            return True
        return False


class Service:
    def __init__(self, platform, name):
        self.platform, self.name, self.messages = platform, name, MESSAGES[name]

    def call(self, method, request=None, *, timeout_s=60.0):
        if self.name in self.platform.away:
            raise UnreachableError(f"the {self.name} does not answer")
        self.platform.calls.append((method, request))
        found = getattr(self, method)(request)
        return found if found is not None else getattr(self.messages, f"{method}Response")()

    def Progress(self, _):
        world = self.platform
        counters = {
            "embedder": [("functions_embedded", world.embedded, 0)],
            "retriever": [("functions_indexed", world.indexed, 0)],
            "evaluator": [("tasks_known", world.known, 0)],
            "annotator": [("pairs_labelled", world.labelled, world.pairs_total)],
        }.get(self.name, [])
        progress = progress_pb2.Progress(
            counters=[progress_pb2.Counter(name=name, value=value, total=total) for name, value, total in counters],
            lag=world.queue[self.name],
            activities=world.activities[self.name],
        )
        return self.messages.ProgressResponse(progress=progress)

    def AddSource(self, request):
        name = request.source.name
        if name == "refused":
            raise CliError("refused: no such kind")
        self.platform.sources.setdefault(f"id-{name}", {"name": name, "state": "", "functions": 0})
        return ingester_pb2.AddSourceResponse(source=ingester_pb2.Source(source_id=f"id-{name}", name=name))

    def Sync(self, request):
        for identity in request.source_ids:
            source = self.platform.sources[identity]
            if source["state"] == "":
                source["state"] = "waiting"
                self.platform.queue["ingester"] += 1

    def ListSources(self, _):
        sources = [
            ingester_pb2.Source(source_id=identity, kind="package", detail="", **fields)
            for identity, fields in self.platform.sources.items()
        ]
        return ingester_pb2.ListSourcesResponse(sources=sources)

    def ListTasks(self, _):
        tasks = [pbt_generator_pb2.Task(task_id=identity) for identity in self.platform.tasks]
        return pbt_generator_pb2.ListTasksResponse(tasks=tasks, refused=self.platform.candidates // 2)

    def StartRun(self, request):
        known = self.platform.tasks[: self.platform.known]
        chosen = list(request.task_ids) or (known[: request.limit] if request.limit else known)
        run = self.platform.runs.setdefault(request.strategy or "direct", {"tasks": [], "finished": 0, "halted": ""})
        run["tasks"] += [task for task in chosen if task not in run["tasks"]]
        return evaluator_pb2.StartRunResponse(run_id=request.strategy or "direct", tasks=len(chosen))

    def GetRun(self, request):
        run = self.platform.runs[request.run_id]
        return evaluator_pb2.GetRunResponse(
            run_id=request.run_id, model="m", tasks=len(run["tasks"]), finished=run["finished"], halted=run["halted"]
        )

    def ImportQueries(self, request):
        self.platform.queue["retriever"] += len(request.queries) * request.candidates


@pytest.fixture
def start():
    def begin(platform, names=("a", "b", "c"), **goals):
        lines = []
        wanted = [Wanted("package", name) for name in names]
        goal = Goals(**{"queries": [("q", "shipped"), ("r", "shipped")], "candidates": 2, **goals})
        job = MainJob(platform.services(), wanted, goal, lines.append, clock=lambda: platform.now, pause=platform.wait)
        job.begin()
        return SimpleNamespace(job=job, lines=lines)

    return begin


def drive(platform, job, most=200):
    for steps in range(most):
        if job.step():
            return steps
        platform.tick()
    raise AssertionError("the job does not end")


def named(platform, method):
    return [request for name, request in platform.calls if name == method]


def test_everything_is_done_and_counted(start):
    platform = Platform()
    job = start(platform, tasks_limit=4, cocost_limit=2).job
    drive(platform, job)
    assert len(platform.tasks) == 6 and platform.indexed == 12 and platform.labelled == 4
    assert len(platform.runs["direct"]["tasks"]) == 4 and len(platform.runs["cocost"]["tasks"]) == 2
    assert all(run["finished"] == len(run["tasks"]) for run in platform.runs.values())
    assert all(stage.finished for stage in job.stages.values())
    assert (job.stages["tasks"].done, job.stages["verdicts"].done, job.stages["pairs"].done) == (6, 6, 4)
    assert job.problems == []


def test_evaluation_begins_before_all_tasks_are_built(start):
    platform = Platform()
    drive(platform, start(platform).job)
    calls = [name for name, _ in platform.calls]
    first_run = calls.index("StartRun")
    assert len([name for name in calls[first_run:] if name == "ListTasks"]) > 5
    assert platform.runs["direct"]["tasks"] == platform.tasks


def test_pairs_are_proposed_once_and_only_from_the_whole_index(start):
    platform = Platform()
    job = start(platform).job
    while not named(platform, "ImportQueries"):
        assert not job.step()
        if not named(platform, "ImportQueries"):
            platform.tick()
    assert platform.indexed == platform.embedded == 12
    drive(platform, job)
    assert len(named(platform, "ImportQueries")) == 1


def test_a_second_call_with_nothing_new_asks_for_the_old_tasks_only(start):
    platform = Platform()
    drive(platform, start(platform, tasks_limit=4, cocost_limit=0).job)
    platform.calls.clear()
    assert drive(platform, start(platform, tasks_limit=4, cocost_limit=0).job) <= 6
    assert all(request.limit == 4 and not request.task_ids for request in named(platform, "StartRun"))
    assert len(platform.runs["direct"]["tasks"]) == 4


def test_a_second_call_takes_the_tasks_of_new_sources(start):
    platform = Platform()
    drive(platform, start(platform, tasks_limit=4, cocost_limit=0).job)
    before = set(platform.tasks)
    drive(platform, start(platform, names=("a", "b", "c", "d"), tasks_limit=4, cocost_limit=0).job)
    fresh = [task for task in platform.tasks if task not in before]
    assert fresh and set(fresh) <= set(platform.runs["direct"]["tasks"])


def test_a_source_that_fails_is_told_and_the_rest_goes_on(start):
    platform = Platform()
    started = start(platform, names=("a", "broken", "refused"))
    drive(platform, started.job)
    assert started.lines == [
        "package refused: refused: no such kind",
        "package broken: failed",
    ]
    assert len(platform.tasks) == 2


def test_no_source_at_all_is_an_error(start):
    with pytest.raises(CliError, match="no source can be followed"):
        start(Platform(), names=("refused",))


def test_without_tasks_or_code_there_is_nothing_to_wait_for(start):
    platform = Platform()
    job = start(platform, names=("broken",)).job
    drive(platform, job)
    assert job.stages["verdicts"].note == "there are no tasks" and job.stages["pairs"].note == "nothing is indexed"
    assert not named(platform, "StartRun") and not named(platform, "ImportQueries")


def test_a_service_may_be_away_for_a_while_but_not_for_ever(start):
    platform = Platform()
    job = start(platform).job
    platform.away = {"pbt-generator"}
    for _ in range(20):
        assert not job.step()
        platform.tick()
    platform.away = set()
    drive(platform, job)
    platform = Platform()
    job = start(platform).job
    platform.away = {"embedder"}
    job.step()
    platform.now += SILENCE_S + 1
    with pytest.raises(CliError, match="the embedder does not answer; see `touchstone status`"):
        job.step()


def test_a_service_that_restarts_at_the_beginning_is_waited_for(start):
    platform = Platform()
    platform.away, platform.back_at = {"ingester"}, 20.0
    drive(platform, start(platform).job)
    assert len(platform.tasks) == 6
    platform = Platform()
    platform.away = {"ingester"}
    with pytest.raises(CliError, match="the ingester does not answer"):
        start(platform)


def test_a_job_that_does_not_move_ends_with_the_reason(start):
    platform = Platform()
    job = start(platform).job
    platform.frozen = {"pbt-generator"}
    platform.activities["pbt-generator"] = ["waiting for the sandbox"]
    with pytest.raises(CliError, match=r"nothing has moved for 15 minutes: .*candidates \(waiting for the sandbox\)"):
        drive(platform, job, most=int(STALL_S) + 200)


def test_a_halted_run_and_waiting_labels_are_told_but_do_not_hold_the_rest(start):
    platform = Platform()
    platform.frozen = {"evaluator", "annotator"}
    platform.activities["annotator"] = ["touchstone.pair.proposed.v1: waiting: the model is away"]
    started = start(platform)
    for _ in range(60):
        started.job.step()
        platform.tick()
    platform.runs["direct"]["halted"] = "the budget is spent"
    drive(platform, started.job, most=400)
    assert any("evaluation stands still: the budget is spent" in line for line in started.lines)
    assert any("labelling stands still" in line and "the model is away" in line for line in started.lines)


def test_rates_and_the_rest_come_from_the_last_minute():
    stage = Stage("x")
    for second in range(100):
        stage.update(second * 2, 400, float(second))
    assert stage.rate == pytest.approx(2.0)
    assert stage.seconds_left == pytest.approx((400 - 198) / 2)
    stage.update(400, 400, 101.0, finished=True)
    assert stage.seconds_left == 0
