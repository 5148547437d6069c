"""A repository of one's own: pages in the browser, candidates and tasks, and the functions that a change touches."""

import contextlib
import json
import os
import socket
import subprocess
from xml.etree import ElementTree

import pytest

from touchstone.common.v1 import code_pb2, progress_pb2
from touchstone_cli import changed
from touchstone_cli.errors import CliError
from touchstone_cli.reports import Checked, junit, sarif

WORDS = (
    'def shorten(text: str, width: int) -> str:\n    """Cut a text."""\n    if len(text) <= width:\n'
    '        return text\n    return text[: width - 1] + "…"\n'
)
LOUD = "\n\ndef loud(text):\n    print(text)\n    return text\n"


def git(folder, *arguments):
    environment = {
        "PATH": os.defpath, "HOME": str(folder), "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
    }  # fmt: skip
    subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "mine"
    (folder / "src").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "src" / "words.py").write_text(WORDS + LOUD + "\n\ndef same(x):\n    return x\n")
    (folder / "notes.txt").write_text("no code")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    return folder


# -- open ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def things(world, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TOUCHSTONE_WEB_URL", "http://pages.test/")
    pb = world.pb
    tasks = [pb.generator.Task(task_id=one) for one in ("aa11", "ab22")]
    world.answers["ListTasks"] = pb.generator.ListTasksResponse(tasks=tasks)
    world.answers["ListReleases"] = pb.generator.ListReleasesResponse(releases=[pb.generator.Release(name="2026/06")])
    world.answers["ListRuns"] = pb.evaluator.ListRunsResponse(runs=[pb.evaluator.RunSummary(run_id="ab99")])


@pytest.mark.parametrize(
    ("what", "page"),
    [("", ""), ("tasks", "tasks"), ("aa", "tasks/aa11"), ("ab9", "runs/ab99"), ("2026/06", "releases/2026%2F06")],
)
@pytest.mark.usefixtures("things")
def test_the_address_of_a_page_is_printed_where_there_is_no_browser(touchstone, what, page):
    done = touchstone("open", *([what] if what else []))
    assert (done.code, done.out) == (0, f"http://pages.test/{page}\n")


@pytest.mark.usefixtures("things")
def test_a_page_that_is_none_or_several_is_refused(touchstone):
    assert "no release, task or run" in touchstone("open", "zz").err
    assert "2 things are called so: tasks/ab22, runs/ab99" in touchstone("open", "ab").err


def test_pages_that_nobody_serves_are_not_opened(touchstone, monkeypatch):
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        monkeypatch.setenv("TOUCHSTONE_WEB_URL", f"http://127.0.0.1:{held.getsockname()[1]}")
        done = touchstone("open")
        assert (done.code, done.out) == (1, "") and "start the platform with `touchstone up`" in done.err
        held.listen()
        assert touchstone("open", "status").code == 0


@pytest.mark.usefixtures("things")
def test_a_browser_is_started_where_there_is_one(touchstone, monkeypatch, tmp_path):
    program, seen = tmp_path / "browser", tmp_path / "seen"
    program.write_text(f'#!/bin/sh\necho "$1" > {seen}\n')
    program.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{program} %s")
    monkeypatch.setattr("webbrowser._tryorder", None)
    assert touchstone("open", "aa").code == 0
    assert seen.read_text() == "http://pages.test/tasks/aa11\n"


# -- init ---------------------------------------------------------------------------------------------------------


def test_candidates_are_listed_and_followed_to_tasks(touchstone, world, repository):
    pb, name = world.pb, str(repository)
    source = pb.ingester.Source(source_id="s1", kind="git", name=name, state="ingested", functions=3)
    place = code_pb2.CodeLocation(repository=name, path="src/words.py", qualname="shorten")
    refused_at = code_pb2.CodeLocation(repository=name, path="src/words.py", qualname="same")
    other = pb.generator.Task(
        task_id="ffff", entry_point="theirs", location=code_pb2.CodeLocation(repository="boltons")
    )
    mine = pb.generator.Task(task_id="aa11", entry_point="shorten", kind="SC", cases=1, location=place)
    refusal = pb.generator.Refusal(
        entry_point="same", kind="SC", reason="trivial", detail="one path", location=refused_at
    )
    world.answers |= {
        "AddSource": pb.ingester.AddSourceResponse(source=source),
        "ListSources": pb.ingester.ListSourcesResponse(sources=[source]),
        "ListTasks": pb.generator.ListTasksResponse(tasks=[other, mine]),
        "ListRefusals": pb.generator.ListRefusalsResponse(refusals=[refusal]),
        "PBT_GENERATOR.Progress": [
            pb.generator.ProgressResponse(progress=progress_pb2.Progress(lag=lag, activities=["mine shorten"] * lag))
            for lag in (1, 0)
        ],
    }
    done = touchstone("init", repository)
    assert done.code == 0, done.err
    assert world.asked("AddSource")[0].source.kind == "git" and world.asked("AddSource")[0].source.name == name
    assert "src/words.py\t1\tshorten" in done.out and "loud" not in done.out and "theirs" not in done.out
    assert "aa11\tshorten\tSC\ttask\t1 case" in done.out and "same\tSC\ttrivial\tone path" in done.out
    assert "1 task, 1 refused" in done.err
    found = json.loads(touchstone("init", repository, "--json").out)
    assert [one["task_id"] for one in found["tasks"]] == ["aa11"]
    assert found["candidates"][0]["qualname"] == "shorten"


def test_without_a_platform_the_candidates_are_listed_all_the_same(touchstone, repository, monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_INGESTER_ADDRESS", "127.0.0.1:9")
    done = touchstone("init", repository)
    assert done.code == 1 and "touchstone up" in done.err and "shorten" in done.out
    assert touchstone("init", repository / "nowhere").code == 1


@pytest.fixture
def followed(world, repository, monkeypatch):
    """The repository is taken in, with a second candidate beside; what the generator says is told by the test."""
    (repository / "src" / "cut.py").write_text(WORDS.replace("shorten", "cut"))
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "cut")
    monkeypatch.setattr("touchstone_cli.decisions._LOOK_AGAIN_S", 0.01)
    pb, name = world.pb, str(repository)
    source = pb.ingester.Source(source_id="s1", kind="git", name=name, state="ingested", functions=4)
    world.answers["AddSource"] = pb.ingester.AddSourceResponse(source=source)
    world.answers["ListSources"] = pb.ingester.ListSourcesResponse(sources=[source])

    def place(word):
        path = "src/cut.py" if word == "cut" else "src/words.py"
        return code_pb2.CodeLocation(repository=name, path=path, qualname=word)

    def progress(decided, lag):
        counter = progress_pb2.Counter(name="candidates_decided", value=decided)
        busy = ["boltons somebody_elses"]
        return pb.generator.ProgressResponse(
            progress=progress_pb2.Progress(lag=lag, counters=[counter], activities=busy)
        )

    return place, progress


def test_own_candidates_are_told_as_they_are_decided_and_no_other_source_is_waited_for(
    touchstone, world, repository, followed
):
    place, progress = followed
    generator = world.pb.generator
    task = generator.Task(task_id="aa11", function_id="f1", entry_point="shorten", cases=3, location=place("shorten"))
    refusal = generator.Refusal(
        function_id="f2", entry_point="cut", reason="trivial", detail="one path", location=place("cut")
    )
    world.answers |= {
        # Others wait still when both are decided.
        "PBT_GENERATOR.Progress": [progress(0, 900), progress(0, 899), progress(1, 800), progress(2, 700)],
        "ListTasks": [generator.ListTasksResponse(), generator.ListTasksResponse(tasks=[task])],
        "ListRefusals": [generator.ListRefusalsResponse()] * 2 + [generator.ListRefusalsResponse(refusals=[refusal])],
    }
    done = touchstone("init", repository)
    assert done.code == 0, done.err
    lines = done.err.splitlines()
    assert "somebody_elses" not in done.err
    first = lines.index(next(line for line in lines if "0 of 2 candidates decided; the generator has 898" in line))
    second = lines.index("  shorten: task aa11, 3 cases")
    assert first < second < lines.index("  cut: no task, trivial, one path")
    assert "1 of 2 candidates decided; the generator has 799 functions of others" in done.err
    # Nothing is asked for anew while nothing was decided.
    assert len(world.asked("ListTasks")) == 3


def test_init_ends_where_a_candidate_is_decided_nowhere_and_nothing_is_left(touchstone, world, repository, followed):
    _, progress = followed
    world.answers["PBT_GENERATOR.Progress"] = [progress(0, 2), progress(0, 0)]
    assert touchstone("init", repository).code == 0
    (repository / "later.py").write_text(WORDS.replace("shorten", "later"))
    world.answers["PBT_GENERATOR.Progress"] = progress(0, 0)
    assert "1 candidate is in files that are not committed" in touchstone("init", repository).err


@pytest.mark.parametrize("candidates", [0, 1])
def test_what_the_platform_counted_ends_the_wait(touchstone, world, repository, followed, candidates):
    place, progress = followed
    generator, location = world.pb.generator, place("shorten")
    source = world.pb.ingester.Source(
        source_id="s1", kind="git", name=str(repository), state="ingested", latest_version="2", candidates=candidates
    )
    world.answers["ListSources"] = world.pb.ingester.ListSourcesResponse(sources=[source])
    location.version = "1"
    old = generator.Task(task_id="aa11", function_id="f1", entry_point="shorten", location=location)
    location.version = "2"
    new = generator.Task(task_id="bb22", function_id="f2", entry_point="shorten", location=location)
    world.answers |= {
        "PBT_GENERATOR.Progress": [progress(1, 900), progress(2, 800)],
        "ListTasks": [generator.ListTasksResponse(tasks=[old]), generator.ListTasksResponse(tasks=[old, new])],
    }
    done = touchstone("init", repository)
    assert done.code == 0, done.err
    # The decision about an earlier version is none about this one.
    assert len(world.asked("ListTasks")) == 1 + candidates and ("task bb22" in done.err) is bool(candidates)


def test_init_waits_for_the_pass_it_asked_for_and_tells_what_stands_at_head(touchstone, world, repository, followed):
    _, progress = followed
    pb, name = world.pb, str(repository)
    commits = changed.history(repository)

    def location(word, commit, path="src/words.py"):
        return code_pb2.CodeLocation(repository=name, version=commit, path=path, qualname=word)

    def source(looked_at, version, candidates):
        known = pb.ingester.Source(
            source_id="s1", kind="git", name=name, state="ingested", latest_version=version, looked_at=looked_at,
            candidates=candidates,
        )  # fmt: skip
        return pb.ingester.ListSourcesResponse(sources=[known])

    def task(identifier, word, commit, path="src/words.py"):
        place = location(word, commit, path)
        return pb.generator.Task(task_id=identifier, function_id=identifier, entry_point=word, location=place)

    world.answers["Sync"] = pb.ingester.SyncResponse(source_ids=["s1"], asked_at="2026-11-24T08:00:00+00:00")
    # The first look still meets what the pass before left.
    world.answers["ListSources"] = [
        source("2026-11-24T07:59:59.5+00:00", commits[1], 9),
        source("2026-11-24T08:00:00.25+00:00", commits[0], 1),
    ]
    refusal = pb.generator.Refusal(
        function_id="r", entry_point="cut", reason="trivial", location=location("cut", commits[0], "src/cut.py")
    )
    tasks = [
        task("aa11", "shorten", commits[1]), task("bb22", "cut", commits[1], "src/cut.py"),
        task("cc33", "moved", commits[1]), task("dd44", "shorten", commits[0]),
    ]  # fmt: skip
    world.answers |= {
        "PBT_GENERATOR.Progress": progress(1, 0),
        "ListTasks": pb.generator.ListTasksResponse(tasks=tasks),
        "ListRefusals": pb.generator.ListRefusalsResponse(refusals=[refusal]),
    }
    done = touchstone("init", repository)
    assert done.code == 0, done.err
    assert len(world.asked("ListSources")) == 2
    assert "dd44\tshorten" in done.out and "aa11" not in done.out and "bb22" not in done.out
    assert "\tcut\t\ttrivial" in done.out
    assert "2 tasks of earlier code of these functions stay: cut bb22, shorten aa11" in done.err
    assert "1 task of functions that stand here no more stay: moved cc33" in done.err
    listed = touchstone("tasks", "list", "--repo", name).out.splitlines()
    assert [", newer code: dd44" in line for line in listed] == [False, True, False, False, False]
    told = json.loads(touchstone("tasks", "list", "--json", "--limit", "1").out)
    assert [(one["task_id"], one["superseded_by"]) for one in told] == [("aa11", "dd44")]


def test_init_need_not_wait_and_says_what_was_not_taken_in(touchstone, world, repository, followed):
    done = touchstone("init", repository, "--no-wait", "--json")
    assert done.code == 0 and len(json.loads(done.out)["candidates"]) == 2 and "sources list" in done.err
    assert not world.asked("ListSources") and not world.asked("Progress")
    source = world.pb.ingester.Source(source_id="s1", name="mine", state="outside_window", detail="0 has no date")
    world.answers["ListSources"] = world.pb.ingester.ListSourcesResponse(sources=[source])
    done = touchstone("init", repository)
    assert done.code == 1 and "nothing of it was taken in (0 has no date)" in done.err
    assert not world.asked("Progress")


@pytest.mark.parametrize("command", ["init", "classify"])
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_folder_without_python_functions_is_refused_before_anything_is_followed(
    touchstone, world, tmp_path, command, options
):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "notes.txt").write_text("no code")
    done = touchstone(command, tmp_path / "empty", *options)
    assert (done.code, done.out) == (1, "") and len(done.err.splitlines()) == 1
    assert done.err.startswith(f"{tmp_path}/empty: no Python function here; ")
    assert not world.requests


def test_the_table_of_classes_says_which_filter_lets_a_function_be_no_candidate(touchstone, repository):
    (repository / "src" / "more.py").write_text("def uses(x):\n    return helper(x) if x else 2\n")
    done = touchstone("classify", repository)
    assert done.code == 0, done.err
    heads, *rows = [line.split("\t") for line in done.out.splitlines()]
    told = {row[2]: dict(zip(heads, row, strict=True)) for row in rows}
    assert told["shorten"]["candidate"] == "yes"
    assert told["same"]["class"] == "SC" and told["same"]["candidate"] == "complexity"
    assert told["same"]["reason"] == "cyclomatic complexity 1 is outside 2 to 20"
    assert told["uses"]["candidate"] == "dependencies" and "helper is defined nowhere" in told["uses"]["reason"]
    assert "touchstone explain FILTER" in done.err


FORMS = (
    "def plain(text: str) -> str:\n    return text.strip()\n\n\n"
    "def tail_of(text: str, width: int) -> str:\n    return plain(text)[-width:] if width > 0 else ''\n\n\n"
    "class Box:\n    def __init__(self, width: int):\n        self.width = width\n\n"
    "    def fit(self, text: str) -> str:\n        return text[: self.width] if len(text) > self.width else text\n"
)


def test_what_is_a_task_in_another_form_is_a_candidate_for_every_command(touchstone, repository, answers, world):
    git(repository, "checkout", "-qb", "topic")
    (repository / "forms.py").write_text(FORMS)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "forms")
    answers |= {"tail_of": answers["shorten"], "box_fit": answers["shorten"]}
    done = touchstone("ci", "--base", "main", "--folder", repository, "--json")
    told = {one["function"]: one["outcome"] for one in json.loads(done.out)}
    assert told == {"plain": "no_candidate", "tail_of": "task", "Box.__init__": "no_candidate", "Box.fit": "task"}
    rows = [line.split("\t") for line in touchstone("classify", repository / "forms.py").out.splitlines()]
    assert {row[2]: row[5] for row in rows[1:]}["tail_of"] == "yes"
    source = world.pb.ingester.Source(source_id="s1", kind="git", name=str(repository), state="waiting")
    world.answers["AddSource"] = world.pb.ingester.AddSourceResponse(source=source)
    done = touchstone("init", repository, "--no-wait", "--json")
    assert {one["qualname"] for one in json.loads(done.out)["candidates"]} == {"shorten", "tail_of", "Box.fit"}


# -- try ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_function_that_gives_no_task_ends_with_one_and_the_reason_last(touchstone, repository, monkeypatch, options):
    refused = {
        "released": False, "reason": "few_mutants", "detail": "two of them", "kind": "SC", "branch_coverage": 1.0,
        "cases": 3, "mutation_score": None, "languages": [], "cpu_s": 0.1,
    }  # fmt: skip
    monkeypatch.setattr("touchstone_cli.try_task.build", lambda *_, **__: refused)
    monkeypatch.setattr("touchstone_cli.try_task.sandbox_address", lambda: contextlib.nullcontext("here"))
    done = touchstone("try", f"{repository}/src/words.py::same", *options)
    assert done.code == 1 and done.err == "same: no task, few_mutants: two of them\n"
    assert json.loads(done.out) == refused if options else "released\tno" in done.out


# -- ci -----------------------------------------------------------------------------------------------------------


def change(repository):
    git(repository, "checkout", "-qb", "topic")
    text = (repository / "src" / "words.py").read_text().replace("print(text)", "print(text, text)")
    (repository / "src" / "words.py").write_text(text.replace("width - 1]", "width - 1].rstrip()"))
    (repository / "new name.py").write_text("def double(x: int) -> int:\n    return x * 2\n")
    (repository / "broken.py").write_text("def (:\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "two")


def test_lines_that_a_change_touches_are_told(repository):
    change(repository)
    assert changed.top_of(repository / "src") == repository.resolve()
    found = changed.touched(repository, "main")
    assert found["src/words.py"] == [range(5, 6), range(9, 10)]
    assert found["new name.py"] == [range(1, 3)]
    (repository / "src" / "words.py").write_text("\n".join(WORDS.splitlines()[:2]))
    # What is not committed counts; where lines only went, the ones around do.
    assert changed.touched(repository, "main")["src/words.py"]
    for unknown in ("no-such-branch", "--help"):
        with pytest.raises(CliError, match=f"--base {unknown}: git knows no such branch or commit"):
            changed.touched(repository, unknown)
    with pytest.raises(CliError, match="is not a git repository"):
        changed.top_of(repository.parent)


def test_a_base_that_cannot_be_compared_with_is_one_line_with_the_way_out(touchstone, repository, tmp_path):
    def told(folder, *base):
        done = touchstone("ci", "--folder", folder, *base)
        assert done.code == 1 and len(done.err.splitlines()) == 1 and "fatal" not in done.err
        return done.err

    assert "--base origin/main: git knows no such branch" in (said := told(repository)) and "`--base main`" in said
    (tmp_path / "plain").mkdir()
    assert told(tmp_path / "plain").startswith(f"{tmp_path}/plain: is not a git repository; ")
    git(tmp_path / "plain", "init", "-q", "-b", "main")
    assert "has no commit yet" in told(tmp_path / "plain")
    git(repository, "checkout", "-q", "--orphan", "apart")
    git(repository, "commit", "-qm", "apart")
    assert "--base main: has no commit in common with HEAD" in told(repository, "--base", "main")


@pytest.fixture
def answers(monkeypatch):
    """What the generator says of each function that is built, by name."""
    said = {"shorten": {"released": True, "reason": "", "detail": "", "kind": "SC", "cases": 7}}

    def build(extracted, sandbox, *, no_llm, out=None):
        assert sandbox == "here" and no_llm
        name = json.loads(extracted)["function"]["name"]
        if name not in said:
            raise CliError("the generator ended")
        return said[name]

    monkeypatch.setattr("touchstone_cli.ci.build", build)
    monkeypatch.setattr("touchstone_cli.ci.sandbox_address", lambda: contextlib.nullcontext("here"))
    return said


def test_changed_functions_are_tried_and_told_in_both_forms(touchstone, repository, answers, tmp_path):
    change(repository)
    answers["double"] = {"released": False, "reason": "few_mutants", "detail": "two", "kind": "SC", "cases": 0}
    reports = ("--junit", tmp_path / "j.xml", "--sarif", tmp_path / "s.json")
    done = touchstone("ci", "--base", "main", "--folder", repository, *reports, "--json")
    assert done.code == 0, done.err
    told = {one["function"]: (one["file"], one["outcome"]) for one in json.loads(done.out)}
    assert told["shorten"] == ("src/words.py", "task") and told["loud"] == ("src/words.py", "no_candidate")
    assert "same" not in told and "broken.py" in done.err
    suite = ElementTree.parse(tmp_path / "j.xml").getroot()[0]
    assert {case.get("name"): [part.tag for part in case] for case in suite}["shorten"] == ["system-out"]
    assert json.loads((tmp_path / "s.json").read_text())["version"] == "2.1.0"


def test_what_cannot_be_tried_is_an_error_and_a_limit_is_kept(touchstone, repository, answers):
    change(repository)
    answers.clear()
    done = touchstone("ci", "--base", "main", "--folder", repository, "--json")
    assert done.code == 1 and "the generator ended" in {one["detail"] for one in json.loads(done.out)}
    outcomes = [
        one["outcome"]
        for one in json.loads(touchstone("ci", "--base", "main", "--folder", repository, "--json", "--limit", "1").out)
    ]
    assert outcomes.count("failed") == 1
    assert touchstone("ci", "--base", "nope", "--folder", repository).code == 1


@pytest.mark.parametrize(
    ("ended", "said", "printed", "told"),
    [
        (-9, b"", b"", "the ingester ended with exit code -9"),
        (1, b"Traceback\nKeyError: 'x'\n", b"[", "KeyError: 'x'"),
        (0, b"", b"no JSON", "the ingester printed no JSON"),
    ],
)
def test_a_file_that_nobody_could_look_at_is_a_failure(
    touchstone, repository, answers, tmp_path, monkeypatch, ended, said, printed, told
):
    change(repository)
    whole = subprocess.run

    def run(command, **options):
        if "classify" in command and command[-2].endswith("words.py"):
            return subprocess.CompletedProcess(command, ended, printed, said)
        return whole(command, **options)

    monkeypatch.setattr(subprocess, "run", run)
    answers["double"] = answers["shorten"]
    reports = ("--junit", tmp_path / "j.xml", "--sarif", tmp_path / "s.json")
    done = touchstone("ci", "--base", "main", "--folder", repository, *reports, "--json")
    failed = [one for one in json.loads(done.out) if one["outcome"] == "failed"]
    # One that does not parse holds no function, and fails nothing.
    assert done.code == 1 and "broken.py" in done.err and [one["file"] for one in failed] == ["src/words.py"]
    assert told in failed[0]["detail"]
    suite = ElementTree.parse(tmp_path / "j.xml").getroot()[0]
    assert suite.get("errors") == "1"
    (run_told,) = json.loads((tmp_path / "s.json").read_text())["runs"]
    assert not run_told["invocations"][0]["executionSuccessful"]


def test_reports_bear_whatever_code_says():
    nasty = Checked("a b/ü.py", 3, 9, "f<&>", "failed", "", "broke\x00 \ud800 ]]>")
    rest = [
        Checked("a.py", 1, 2, "g", "task", "", "5 cases, SC", 1.5),
        Checked("a.py", 4, 5, "h", "refused", "coverage_incomplete", "line 5"),
        Checked("a.py", 7, 8, "i", "no_candidate", "side_effects", "print"),
    ]
    suite = ElementTree.fromstring(junit([nasty, *rest]))[0]
    assert {name: suite.get(name) for name in ("tests", "errors", "skipped", "failures")} == {
        "tests": "4", "errors": "1", "skipped": "2", "failures": "0",
    }  # fmt: skip
    assert suite[0].get("name") == "f<&>" and suite[0][0].get("message") == "broke\ufffd \ufffd ]]>"
    run = json.loads(sarif([nasty, *rest]).encode("utf-8"))["runs"][0]
    assert [(one["kind"], one["level"]) for one in run["results"]] == [
        ("open", "none"), ("pass", "none"), ("fail", "note"), ("notApplicable", "none"),
    ]  # fmt: skip
    # What could not be tried is said of the run of the tool, never of the function.
    (ended,) = run["invocations"]
    assert not ended["executionSuccessful"] and [each["level"] for each in ended["toolExecutionNotifications"]] == [
        "error"
    ]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%20b/%C3%BC.py" and place["region"] == {"startLine": 3, "endLine": 9}
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert set(rules) == {one["ruleId"] for one in run["results"]}
    assert rules["side_effects"]["help"]["text"]
