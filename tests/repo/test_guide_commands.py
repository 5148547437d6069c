"""Every command of the guides is run as it stands there, on services that answer from memory, in a repository.

What needs a machine of its own is played: the platform that `up`, `down` and `run` start, and the sandbox that `try`
and `ci` build in. Both have tests of their own on the real thing.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent import futures
from pathlib import Path
from types import SimpleNamespace

import grpc
import pytest
from typer.testing import CliRunner

from touchstone_cli.main import app

ROOT = Path(__file__).parents[2]
GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))
WORDS = (
    'def shorten(text: str, width: int) -> str:\n    """Cut a text."""\n    if len(text) <= width:\n'
    '        return text\n    return text[: width - 1] + "…"\n'
)
BUILT = {
    "released": True, "reason": None, "detail": "", "kind": "SC", "branch_coverage": 1.0, "cases": 500, "returning": 2,
    "raising": 0, "dead": 0, "mutation_score": 1.0, "killed": 12, "survivors": 0, "proved": 1, "languages": ["python"],
    "cpu_s": 2.0,
}  # fmt: skip


FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.S | re.M)


def commands(guide):
    """The commands of a guide's blocks and sentences."""
    text = guide.read_text()
    # What names a language is no list of commands.
    blocks = [block for language, block in FENCE.findall(text) if not language]
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    lines += re.findall(r"`((?:touchstone|python -m) [^`]+)`", re.sub(FENCE, "", text))
    return lines


ALL = sorted({(guide.stem, line) for guide in GUIDES for line in commands(guide)})
OURS = [(guide, line) for guide, line in ALL if line.startswith("touchstone ")]
OFFLINE = sorted({line for _, line in ALL if line.startswith("python -m ")})
MAKE = sorted({line for _, line in ALL if line.startswith("make ")})


@pytest.fixture(scope="module")
def cli_tests():
    """The services in one process that the tests of the command line speak to."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("cli_conftest", ROOT / "clients" / "cli" / "tests" / "conftest.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def services(cli_tests, tmp_path, monkeypatch):
    """A platform with one source, one task, one finished run, one release and one label."""
    world = cli_tests.World()
    pb = {name: messages for name, (messages, _, _) in cli_tests.SERVICES.items()}
    address = f"unix:{tmp_path}/services"
    server = grpc.server(futures.ThreadPoolExecutor(4))
    for service, (messages, stubs, name) in cli_tests.SERVICES.items():
        servicer = cli_tests.servicer(world, service, messages, stubs, name)
        getattr(stubs, f"add_{name}Servicer_to_server")(servicer, server)
        monkeypatch.setenv(f"TOUCHSTONE_{service}_ADDRESS", address)
    server.add_insecure_port(address)
    server.start()
    evaluator, generator, ingester = pb["EVALUATOR"], pb["PBT_GENERATOR"], pb["INGESTER"]
    place = cli_tests.code_pb2.CodeLocation(repository="boltons", version="1", path="a.py", line_start=3, qualname="f")
    task = generator.Task(task_id="3f2a" * 8, kind="SC", difficulty="Easy", entry_point="f", location=place, cases=9)
    source = ingester.Source(
        source_id="s", kind="package", name="boltons", state="ingested", functions=9, latest_version="1"
    )
    result = evaluator.TaskResult(task_id=task.task_id, entry_point="f", outcome="passed", cases=9, passed=9)
    summary = evaluator.RunSummary(run_id="ab" * 16, answers=1, judged=1, passed=1)
    rival = evaluator.RunSummary(run_id="cd" * 16, answers=1, judged=1)
    decided = evaluator.Comparison(decision="first", repositories=9, of=20, needed=20, evidence=21, tasks=30)
    run = evaluator.GetRunResponse(
        run_id=summary.run_id, model="m", strategy="direct", language="python", tasks=1, finished=1, results=[result],
        summary=summary,
    )  # fmt: skip
    counter = cli_tests.progress_pb2.Counter
    release = generator.Release(name="my-first", digest="d" * 64, tasks=1)
    pair = pb["ANNOTATOR"].LabelledPair(query="q", label=1, repository="boltons", qualname="f", reason="tested")
    found = pb["RETRIEVER"].SearchResult(location=place, score=0.5, code="def f(): ...")
    world.answers |= {
        "AddSource": ingester.AddSourceResponse(source=source),
        "ListSources": ingester.ListSourcesResponse(sources=[source]),
        "ListTasks": generator.ListTasksResponse(tasks=[task], refused=1, refusals={"identity": 1}),
        "StartRun": evaluator.StartRunResponse(run_id=run.run_id, tasks=1, task_set="all"),
        "GetRun": run,
        "ListRuns": evaluator.ListRunsResponse(runs=[summary, rival]),
        "AdvanceComparison": evaluator.AdvanceComparisonResponse(comparison=decided, state="decided"),
        "PauseRun": evaluator.PauseRunResponse(run=summary, answers=1),
        "JudgeAgain": evaluator.JudgeAgainResponse(answers=1),
        "ImportTask": generator.ImportTaskResponse(task_id=task.task_id, inputs=9, cases=9, passes=True),
        "SubmitAnswers": evaluator.SubmitAnswersResponse(digest="e" * 64, answers=1, tasks=1),
        "PBT_GENERATOR.CreateRelease": generator.CreateReleaseResponse(release=release),
        "PBT_GENERATOR.GetRelease": generator.GetReleaseResponse(release=release, manifest_json='{"tasks": []}'),
        "PBT_GENERATOR.VerifyRelease": lambda _: iter(
            [generator.VerifyReleaseResponse(task_id=task.task_id, done=1, total=1, trials=9)]
        ),
        "ANNOTATOR.VerifyRelease": lambda _: iter([pb["ANNOTATOR"].VerifyReleaseResponse(done=1, total=1)]),
        "ImportQueries": lambda request: pb["RETRIEVER"].ImportQueriesResponse(
            query_ids=[query.text for query in request.queries]
        ),
        "Annotate": pb["ANNOTATOR"].AnnotateResponse(pair=pair),
        "ListPairs": pb["ANNOTATOR"].ListPairsResponse(pairs=[pair]),
        "Search": pb["RETRIEVER"].SearchResponse(results=[found], mode="augmented", indexed=9),
    }
    for service, name in (
        ("EVALUATOR", "tasks_known"),
        ("RETRIEVER", "functions_indexed"),
        ("ANNOTATOR", "pairs_labelled"),
    ):
        progress = cli_tests.progress_pb2.Progress(counters=[counter(name=name, value=1)])
        world.answers[f"{service}.Progress"] = pb[service].ProgressResponse(progress=progress)
    yield world
    server.stop(None)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository of a user's own, with the files that guides name."""
    folder = tmp_path / "mine"
    (folder / "src").mkdir(parents=True)
    (folder / "labelled" / "qrels").mkdir(parents=True)
    (folder / "src" / "words.py").write_text(WORDS)
    (folder / "queries.txt").write_text("reverse a string\nshorten a text\n")
    (folder / "mine.jsonl").write_text(
        '{"query": "q", "code": "def f(x): return x", "label": 1, "language": "python"}\n'
    )
    (folder / "reverse.py").write_text("def reverse(text):\n    return text[::-1]\n")
    (folder / "HumanEvalPlus.jsonl").write_text(
        '{"task_id": "T/0", "entry_point": "f", "prompt": "def f(x):\\n", "canonical_solution": "    return x\\n", '
        '"base_input": [[1]], "plus_input": [[2]], "atol": 0}\n'
    )
    (folder / "samples.jsonl").write_text('{"task_id": "T/0", "solution": "def f(x): return x"}\n')
    (folder / "labelled" / "corpus.jsonl").write_text('{"_id": "a", "text": "def a(): ..."}\n')
    (folder / "labelled" / "queries.jsonl").write_text('{"_id": "1", "text": "find a"}\n')
    (folder / "labelled" / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta\t1\n")
    for name in ("mine.run", "other.run"):
        (folder / name).write_text("1 Q0 a 1 0.5 t\n")
    me = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {"PATH": os.defpath, "HOME": str(folder), **me}
    for line in ("init -q -b main", "add -A", "commit -qm one", "update-ref refs/remotes/origin/main HEAD"):
        subprocess.run(["git", *line.split()], cwd=folder, env=environment, check=True)
    (folder / "src" / "words.py").write_text(WORDS.replace("width - 1", "width-1"))
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TOUCHSTONE_STATE", str(tmp_path / "state"))
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def machine(monkeypatch):
    """A platform that is said to start, and a sandbox in which every candidate becomes a task."""

    @contextlib.contextmanager
    def sandbox():
        yield "unix:nowhere"

    def build(_extracted, _sandbox, *, no_llm, out=None):
        if out is not None:
            out.mkdir(exist_ok=True)
        return BUILT

    monkeypatch.setattr("touchstone_cli.machine.start_platform", lambda folders: folders.create())
    for module in ("try_task", "ci"):
        monkeypatch.setattr(f"touchstone_cli.{module}.sandbox_address", sandbox)
        monkeypatch.setattr(f"touchstone_cli.{module}.build", build)
    monkeypatch.setattr("touchstone_cli.run.POLL_S", 0.0)
    monkeypatch.setenv("TOUCHSTONE_WEB_URL", "http://pages.test")
    # What serves until it is ended: its own tests speak to it.
    monkeypatch.setattr("touchstone_cli.mcp._serve_http", lambda _made, where: print(f"at {where}"))
    monkeypatch.setattr("touchstone_cli.mcp_tools.server", lambda _connect: SimpleNamespace(run=print))


@pytest.mark.parametrize(("guide", "line"), OURS)
@pytest.mark.usefixtures("services", "repository", "machine")
def test_a_command_of_a_guide_does_what_it_should(guide, line):
    done = CliRunner().invoke(app, shlex.split(line)[1:], prog_name="touchstone")
    # The platform is played, and `status` looks for its processes.
    expected = 1 if line == "touchstone status" and "The platform does not run" in done.stderr else 0
    assert done.exit_code == expected, f"{guide}: {line}\n{done.output}\n{done.exception!r}"
    quiet = line.split()[1] == "--quiet"
    assert done.stdout.strip() or (done.stderr.strip() and not quiet)
    if "--json" in line:
        json.loads(done.stdout)


def test_offline_commands_and_targets_of_guides_are_there():
    """Their own tests run them; here that there are such."""
    for line in OFFLINE:
        words = shlex.split(line)[2:]
        done = subprocess.run([sys.executable, "-m", *words[:2], "--help"], capture_output=True, text=True, check=False)
        assert done.returncode == 0 and words[1] in done.stdout, done.stderr
    assert MAKE
    for line in MAKE:
        done = subprocess.run([*shlex.split(line), "-n"], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_no_guide_is_without_commands_and_there_is_one_for_each_way_in():
    named = {guide.stem for guide in GUIDES}
    ways = ("benchmark-a-model", "benchmark-your-repository", "search-from-an-editor", "label-a-query-set")
    assert {*ways, "run-on-a-cluster"} <= named
    assert {guide for guide, _ in OURS} == named
    for guide in GUIDES:
        assert len(guide.read_text().splitlines()) <= 120, guide
