"""What people call tasks, runs and sources: a name that begins the id of something else never means that silently."""

import pytest

ADD, CHUNK, SLUGIFY = "1" * 64, "0" * 64, f"add7{'0' * 60}"
BEE, FADE = "2" * 32, f"bee1{'0' * 28}"


@pytest.fixture(autouse=True)
def things(world):
    generator, code = world.pb.generator, world.pb.code

    def task(task_id, name, repository):
        place = code.CodeLocation(repository=repository, qualname=name)
        return generator.Task(task_id=task_id, entry_point=name, location=place)

    tasks = [task(ADD, "add", "toolz"), task(SLUGIFY, "slugify", "boltons"), task(CHUNK, "chunk", "boltons")]
    world.answers["ListTasks"] = generator.ListTasksResponse(tasks=tasks)
    pb = world.pb.evaluator
    runs = [pb.RunSummary(run_id=one, spec=pb.RunSpec(model=model)) for one, model in ((BEE, "bee"), (FADE, "fade"))]
    world.answers["ListRuns"] = pb.ListRunsResponse(runs=runs)


COMMANDS = [
    ("release", "retract", "add", "--note", "n"),
    ("release", "create", "r", "--tasks", "add"),
    ("tasks", "show", "add"),
    ("tasks", "trial", "add", "--model", "m"),
    ("evaluate", "--tasks", "chunk,add", "--no-wait"),
    ("runs", "judge-again", "--task", "add", "--note", "n"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_name_that_begins_another_tasks_id_is_refused_with_both_named(touchstone, world, command):
    done = touchstone(*command)
    assert (done.code, done.err) == (
        1,
        "add: is the name of 111111111111 (add of toolz) and the beginning of the id of "
        "add700000000 (slugify of boltons); give more of the id\n",
    )
    asked = {method for method, _ in world.requests}
    assert not asked & {"RetractTask", "CreateRelease", "GetTask", "TrialTasks", "StartRun", "JudgeAgain"}


@pytest.mark.parametrize(("text", "meant"), [("add7", "add7"), (SLUGIFY, SLUGIFY), (ADD, ADD), ("chunk", CHUNK)])
def test_more_of_an_id_and_a_name_alone_mean_one_task(touchstone, world, text, meant):
    touchstone("release", "retract", text, "--note", "n")
    assert [request.task_id for request in world.asked("RetractTask")] == [meant]


def test_a_task_whose_id_begins_with_its_own_name_is_that_task(touchstone, world):
    pb = world.pb.generator
    world.answers["ListTasks"] = pb.ListTasksResponse(tasks=[pb.Task(task_id=SLUGIFY, entry_point="add")])
    touchstone("release", "retract", "add", "--note", "n")
    assert [request.task_id for request in world.asked("RetractTask")] == [SLUGIFY]


@pytest.mark.parametrize(
    "command",
    [
        ("runs", "show", "bee"),
        ("runs", "cancel", "bee", "--yes"),
        ("runs", "withdraw", "bee", "--note", "n"),
        ("runs", "pause", "bee"),
    ],
    ids=" ".join,
)
def test_a_model_that_begins_another_runs_id_is_refused_with_both_named(touchstone, world, command):
    done = touchstone(*[part for part in command if part != "--yes"])
    assert done.code == 1 and "bee: is the name of 222222222222 (bee) and the beginning of the id of bee1" in done.err
    assert not {method for method, _ in world.requests} & {"GetRun", "CancelRun", "WithdrawRun", "PauseRun"}


@pytest.mark.parametrize(("text", "meant"), [("bee1", "bee1"), (FADE, FADE), ("fade", FADE), ("2", "2")])
def test_more_of_an_id_and_a_model_alone_mean_one_run(touchstone, world, text, meant):
    touchstone("runs", "cancel", text)
    assert [request.run_id for request in world.asked("CancelRun")] == [meant]


@pytest.mark.parametrize(
    ("text", "pages"),
    [("add", (f"tasks/{ADD}", f"tasks/{SLUGIFY}")), ("bee", (f"runs/{BEE}", f"runs/{FADE}"))],
)
def test_no_page_is_opened_where_two_are_meant(touchstone, monkeypatch, text, pages):
    monkeypatch.setenv("TOUCHSTONE_WEB_URL", "http://pages.test")
    done = touchstone("open", text)
    assert done.code == 1 and f"2 things are called so: {', '.join(pages)}" in done.err
    assert touchstone("open", pages[1].partition("/")[2]).out.endswith(f"/{pages[1]}\n")


def test_a_source_whose_name_begins_anothers_id_is_not_removed(touchstone, world):
    pb = world.pb.ingester
    known = [
        pb.Source(source_id="1" * 32, kind="package", name="add"),
        pb.Source(source_id="add1", kind="git", name="g"),
    ]
    world.answers["ListSources"] = pb.ListSourcesResponse(sources=known)
    done = touchstone("sources", "remove", "add")
    assert done.code == 1 and "is the name of package add and the beginning of the id of git g" in done.err
    # An empty text, as of a variable that is not set, is the beginning of every id.
    world.answers["ListSources"] = pb.ListSourcesResponse(sources=known[:1])
    assert touchstone("sources", "remove", "").code == 1
    assert not world.asked("RemoveSource")
    touchstone("sources", "remove", "add")
    assert [request.source_id for request in world.asked("RemoveSource")] == ["1" * 32]


@pytest.mark.parametrize("text", ["", " ", ",", " , "])
@pytest.mark.parametrize("command", [("release", "create", "r"), ("evaluate", "--model", "m")], ids=" ".join)
def test_an_option_for_some_that_names_none_never_asks_for_all(touchstone, world, command, text):
    done = touchstone(*command, "--tasks", text)
    assert (done.code, done.err) == (2, "--tasks: names nothing; leave it out to take all\n")
    assert not {method for method, _ in world.requests} & {"CreateRelease", "StartRun"}


@pytest.mark.parametrize("command", [("release", "create", "r"), ("release", "verify", "r")], ids=" ".join)
def test_languages_that_name_none_are_refused(touchstone, world, command):
    assert touchstone(*command, "--language", "").err == "--language: names nothing; leave it out to take all\n"
    assert world.requests == []
