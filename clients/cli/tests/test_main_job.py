"""The main job against a platform that works off its topics tick by tick."""

from types import SimpleNamespace

import pytest

from touchstone.annotator.v1 import annotator_pb2
from touchstone.common.v1 import code_pb2, progress_pb2
from touchstone.embedder.v1 import embedder_pb2
from touchstone.evaluator.v1 import evaluator_pb2
from touchstone.ingester.v1 import ingester_pb2
from touchstone.pbt_generator.v1 import pbt_generator_pb2
from touchstone.retriever.v1 import retriever_pb2
from touchstone_cli.asking import Goals, enough
from touchstone_cli.errors import CliError
from touchstone_cli.main_job import SILENCE_S, STALL_S, MainJob, Stage
from touchstone_cli.run import Remembered
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
        self.codes = 0
        self.embedded = self.indexed = self.labelled = 0
        self.pairs_total = 0
        self.candidates = 0
        self.tasks = [f"old{n}" for n in range(known_tasks)]
        self.source_of = {}
        self.building = []
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
                source["functions"], source["latest_version"] = 4, "1"
                self.building += [source["name"]] * 4
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
            name = self.building.pop(0)
            if self.candidates % 2:
                self.tasks.append(f"new{self.candidates}")
                self.source_of[self.tasks[-1]] = name
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
            "ingester": [("codes", world.codes, 0)] if world.codes else [],
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
        self.platform.sources.setdefault(
            f"id-{name}", {"name": name, "state": "", "functions": 0, "latest_version": ""}
        )
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
        tasks = [
            pbt_generator_pb2.Task(
                task_id=identity,
                location=code_pb2.CodeLocation(repository=self.platform.source_of.get(identity, "old"), version="1"),
            )
            for identity in self.platform.tasks
        ]
        return pbt_generator_pb2.ListTasksResponse(tasks=tasks, refused=self.platform.candidates // 2)

    def StartRun(self, request):
        chosen = list(request.task_ids) or self.platform.tasks[: self.platform.known]
        chosen = chosen[: request.limit] if request.limit else chosen
        # As the evaluator: a run is what it asks for.
        run_id = f"{request.strategy or 'direct'} {','.join(chosen)}"
        run = self.platform.runs.setdefault(run_id, {"tasks": chosen, "finished": 0, "halted": ""})
        return evaluator_pb2.StartRunResponse(run_id=run_id, tasks=len(run["tasks"]))

    def GetRun(self, request):
        if request.run_id not in self.platform.runs:
            raise CliError(f"{request.run_id}: no run has this id")
        run = self.platform.runs[request.run_id]
        return evaluator_pb2.GetRunResponse(
            run_id=request.run_id,
            model="m",
            tasks=len(run["tasks"]),
            finished=run["finished"],
            halted=run["halted"],
            results=[evaluator_pb2.TaskResult(task_id=task) for task in run["tasks"]],
        )

    def ImportQueries(self, request):
        self.platform.queue["retriever"] += len(request.queries) * request.candidates


@pytest.fixture
def start():
    memory = {}

    def begin(platform, names=("a", "b", "c"), **goals):
        lines = []
        wanted = [Wanted("package", name) for name in names]
        usual = {"queries": [("q", "shipped"), ("r", "shipped")], "candidates": 2, "everything": True}
        goal = Goals(**{**usual, **goals})
        clock = {"clock": lambda: platform.now, "pause": platform.wait}
        job = MainJob(platform.services(), wanted, goal, lines.append, memory, **clock)
        job.begin()
        return SimpleNamespace(job=job, lines=lines)

    return begin


def drive(platform, job, most=200):
    for steps in range(most):
        if job.step():
            return steps
        platform.tick()
    raise AssertionError("the job does not end")


def runs_of(platform, strategy):
    """Tasks of each run of a strategy."""
    return [run["tasks"] for name, run in platform.runs.items() if name.split()[0] == strategy]


def named(platform, method):
    return [request for name, request in platform.calls if name == method]


def test_everything_is_done_and_counted(start):
    platform = Platform()
    job = start(platform, tasks_limit=4, cocost_limit=2).job
    drive(platform, job)
    assert len(platform.tasks) == 6 and platform.indexed == 12 and platform.labelled == 4
    [direct], [cocost] = runs_of(platform, "direct"), runs_of(platform, "cocost")
    assert len(direct) == 4 and cocost == direct[:2]
    assert all(run["finished"] == len(run["tasks"]) for run in platform.runs.values())
    assert all(stage.finished for stage in job.stages.values())
    assert (job.stages["tasks"].done, job.stages["verdicts"].done, job.stages["pairs"].done) == (6, 6, 4)
    assert job.problems == [] and job.left() == []


def test_the_model_is_asked_as_soon_as_every_source_gave_tasks(start):
    platform = Platform()
    job = start(platform, tasks_limit=4, cocost_limit=0).job
    drive(platform, job)
    [request] = named(platform, "StartRun")
    assert request.limit == 4 and not request.task_ids
    calls = [name for name, _ in platform.calls]
    assert "ListTasks" in calls[calls.index("StartRun") :]
    drive(platform := Platform(), start(platform, tasks_limit=0, cocost_limit=0).job)
    # All tasks can only be asked for when all are there.
    assert runs_of(platform, "direct") == [platform.tasks]


def test_a_sample_waits_for_several_packages_and_not_for_all():
    assert not enough(["a"] * 30, 10, 11, taken_in=True)
    assert not enough(["a", "b", "c"], 10, 3, taken_in=True)
    assert not enough(list("aaaabbbbcccc"), 10, 11, taken_in=True)
    assert enough(list("aaabbbcccddd"), 10, 11, taken_in=True)
    assert enough(list("aabbccddeeff"), 10, 11, taken_in=True)
    assert not enough(list("aabbccddeeff"), 10, 11, taken_in=False)
    assert enough([*"abcdefghij", "a"], 10, 11, taken_in=False)
    assert enough(["a"] * 10, 10, 1, taken_in=False)


def test_it_returns_with_something_of_each_and_says_what_is_left(start):
    platform = Platform()
    job = start(platform, tasks_limit=2, cocost_limit=1, everything=False).job
    drive(platform, job)
    assert platform.labelled >= 1 and runs_of(platform, "direct") and runs_of(platform, "cocost")
    assert all(run["finished"] == len(run["tasks"]) for run in platform.runs.values())
    assert job.left() == [f"pairs {platform.labelled} of {platform.pairs_total}"]
    job = start(platform, tasks_limit=2, cocost_limit=1).job
    drive(platform, job)
    assert job.left() == [] and platform.labelled == platform.pairs_total


def test_pairs_do_not_wait_for_the_whole_index_where_something_of_each_will_do(start):
    platform = Platform()
    job = start(platform, tasks_limit=2, cocost_limit=1, everything=False).job
    while not job.step():
        platform.tick()
        if platform.indexed == 3:
            platform.frozen.add("embedder")
        assert platform.now < 200
    assert platform.labelled >= 1 and platform.indexed == 3
    assert "functions embedded 3 of 12" in job.left() and "functions indexed 3" in job.left()
    assert len(named(platform, "ImportQueries")) == 1


def test_the_whole_of_the_index_is_codes_and_not_the_messages_about_them(start):
    platform = Platform()
    job, platform.codes = start(platform, tasks_limit=2, cocost_limit=1, everything=False).job, 7
    while not job.step():
        platform.tick()
        if platform.indexed == 3:
            platform.frozen.add("embedder")
        assert platform.now < 200
    assert "functions embedded 3 of 7" in job.left() and "functions indexed 3 of 7" in job.left()
    assert platform.queue["embedder"] == 9


def test_pairs_are_proposed_once_and_from_the_whole_index_where_everything_is_wanted(start):
    platform = Platform()
    job = start(platform).job
    while not named(platform, "ImportQueries"):
        assert not job.step()
        if not named(platform, "ImportQueries"):
            platform.tick()
    assert platform.indexed == platform.embedded == 12
    drive(platform, job)
    assert len(named(platform, "ImportQueries")) == 1


def test_a_second_call_with_nothing_new_asks_nothing_again(start):
    platform = Platform()
    drive(platform, start(platform, tasks_limit=3, cocost_limit=1).job)
    platform.tasks.append("built in the background")
    platform.calls.clear()
    assert drive(platform, start(platform, tasks_limit=3, cocost_limit=1).job) <= 6
    assert not named(platform, "StartRun")


def test_a_run_that_is_no_more_is_asked_for_again(start):
    platform = Platform()
    drive(platform, start(platform, tasks_limit=3, cocost_limit=0).job)
    platform.runs.clear()
    drive(platform, start(platform, tasks_limit=3, cocost_limit=0).job)
    assert [len(tasks) for tasks in runs_of(platform, "direct")] == [3]


@pytest.mark.parametrize("everything", [True, False])
def test_a_second_call_asks_for_the_tasks_of_new_sources_only(start, everything):
    platform = Platform()
    drive(platform, start(platform, tasks_limit=4, cocost_limit=0).job)
    before = set(platform.tasks)
    names = ("a", "b", "c", "d")
    drive(platform, start(platform, names=names, tasks_limit=4, cocost_limit=0, everything=everything).job)
    fresh = [task for task in platform.tasks if task not in before]
    assert fresh and runs_of(platform, "direct")[1:] == [fresh]


def test_what_was_asked_is_kept_in_a_file(tmp_path):
    kept = Remembered(tmp_path / "asked.json")
    kept["direct 10"] = "r"
    assert Remembered(tmp_path / "asked.json")["direct 10"] == "r"
    del kept["direct 10"]
    assert not Remembered(tmp_path / "asked.json")
    (tmp_path / "asked.json").write_text("[broken")
    assert not Remembered(tmp_path / "asked.json")


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
    for run in platform.runs.values():
        run["halted"] = "the budget is spent"
    drive(platform, started.job, most=400)
    assert any("evaluation stands still: the budget is spent" in line for line in started.lines)
    assert any("labelling stands still" in line and "the model is away" in line for line in started.lines)


def test_rates_and_the_rest_come_from_the_last_minute():
    stage = Stage("x")
    for second in range(100):
        stage.update(second * 2, 400, float(second))
    assert stage.rate == pytest.approx(2.0)
    assert stage.seconds_left == pytest.approx((400 - 198) / 2)
    stage.update(202, 500, 100.0, growing=True)
    assert stage.seconds_left == 0, "while more is found, nobody knows how long the rest takes"
    stage.update(400, 400, 101.0, finished=True)
    assert stage.seconds_left == 0
