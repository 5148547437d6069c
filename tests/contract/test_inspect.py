"""Releases in Inspect, in Inspect's own environment (`make inspect`), on a real sandbox-executor.

The tests of `clients/inspect` run there; what the platform's side gives them is made here: an export, what the
evaluator asks of its tasks, and a run in the form of an Inspect log. What they write is read here.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from evaluator.domain.tasks import Task
from evaluator.usecases.strategies import LANGUAGES, described
from pbt_generator.domain.release import Selection
from touchstone.evaluator.v1 import evaluator_pb2 as pb
from touchstone_cli.answers import Given, read_answers
from touchstone_cli.output import to_dict
from touchstone_cli.run_formats import RUN_FORMATS
from touchstone_cli.sandbox_server import sandbox_address
from touchstone_runtime.llm.prompts import load_prompt

ROOT = Path(__file__).parents[2]
BIN = ROOT / ".venv" / "inspect" / "bin"
ANSWERS = [("aa", 0, "def f(): pass\n", "passed"), ("aa", 1, "", "no_code"),
           ("bb", 0, "def g(): pass\n", "wrong_output"), ("bb", 1, "def g(): 1\n", "infrastructure")]  # fmt: skip


@pytest.fixture
async def exported(load_module, tmp_path):
    """A release of three tasks, of which one was taken back."""
    fakes = load_module("services/pbt-generator/tests/conftest.py")
    made = load_module("services/pbt-generator/tests/releases/conftest.py")
    decisions, blobs = fakes.MemoryDecisions(), fakes.MemoryBlobs()
    releases, announcer = fakes.MemoryReleases(decisions), fakes.RecordingAnnouncer()
    house = made.House(fakes.ChildSandbox(), decisions, releases, announcer, blobs)
    await house.fill({})
    await house.desk.create("2026-06", Selection())
    await house.desk.retract(house.ids["spread"], "it is wrong")
    return house.write(await house.export("2026-06", "parquet"), tmp_path / "export")


def asked(folder):
    """What the evaluator asks of each task that stands, by function and language."""
    found = {}
    for entry in json.loads((folder / "manifest.json").read_text())["tasks"]:
        told = json.loads((folder / "parts" / entry["digests"]["record"]).read_text())["task"]
        task = Task(
            entry["task_id"], "f", "SC", "Easy", told["entry_point"], told["instruction"], told["signatures"],
            told["prelude"], "s", 1, "wordkit", "1", "a.py", "q",
        )  # fmt: skip
        if task.entry_point != "spread":
            prompt = load_prompt("evaluator", "solve_v1")
            found[task.entry_point] = {
                language: [each.content for each in prompt.messages(**described(task, language))]
                for language in LANGUAGES
            }
    return {"languages": LANGUAGES, "tasks": found}


def logged():
    """A run as an Inspect log."""
    tasks = pb.TaskSet(digest="d" * 64, kind="release", name="2026-06", count=2, release="e" * 64)
    spec = pb.RunSpec(model="m", strategy="direct", language="python", tasks=tasks, samples=2, temperature=0.5)
    summary = to_dict(pb.RunSummary(run_id="a" * 32, spec=spec, answers=4, judged=3, passed=1))
    answers = []
    for task_id, sample, code, outcome in ANSWERS:
        answer = to_dict(pb.Answer(task_id=task_id, sample=sample, code=code, outcome=outcome, entry_point="f"))
        answer["wording"] = "described" if task_id == "aa" else "by_example"
        answers.append({**answer, "solution": answer.pop("code"), "strategy": "direct", "language": "python"})
    return "\n".join(RUN_FORMATS["inspect"](summary, answers))


@pytest.fixture
def within(tmp_path):
    """Runs a program of Inspect's environment, with a real sandbox-executor beside it."""
    assert (BIN / "inspect").is_file(), "Inspect is not there: run `make inspect`"
    with sandbox_address() as address:

        def run(program, *arguments, **variables):
            environment = {**os.environ, "TOUCHSTONE_SANDBOX_ADDRESS": address, "NO_COLOR": "1", **variables}
            return subprocess.run(
                [str(BIN / program), *map(str, arguments)],
                cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
            )  # fmt: skip

        yield run


@pytest.mark.real
def test_a_release_is_a_task_of_inspect_and_the_sandbox_its_provider(within, exported, tmp_path):
    (tmp_path / "questions.json").write_text(json.dumps(asked(exported)))
    (tmp_path / "log.json").write_text(logged())
    member = ROOT / "clients" / "inspect"
    options = ("-c", member / "pyproject.toml", "--rootdir", member, "-p", "no:cacheprovider", "--given", tmp_path)
    done = within("python", "-m", "pytest", "-q", *options, member / "tests")
    assert done.returncode == 0, done.stdout + done.stderr
    # What Inspect wrote of the release is read as answers, and so is our log after Inspect had it.
    (log,) = (tmp_path / "truths").glob("*.json")
    found = read_answers(log)
    assert len(found) == 2 and all("```python" in each.text for each in found)
    given = [Given(task_id, sample, text) for task_id, sample, text, _ in ANSWERS]
    assert sorted(read_answers(tmp_path / "again.json")) == sorted(given)


@pytest.fixture
def endpoint(exported):
    """An endpoint that speaks OpenAI's protocol and answers with ground truths; gives its address."""
    entries = json.loads((exported / "manifest.json").read_text())["tasks"]
    truths = {
        each["entry_point"]: (exported / "parts" / each["digests"]["ground_truth"]).read_text() for each in entries
    }

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = self.rfile.read(int(self.headers["content-length"])).decode()
            name = next(name for name in truths if f"`{name}`" in asked)
            message = {"role": "assistant", "content": f"```python\n{truths[name]}\n```"}
            usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
            said = {"id": "c", "object": "chat.completion", "created": 1, "model": json.loads(asked)["model"]}
            said |= {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}
            data = json.dumps(said).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            """Nothing: requests are no output of the test."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


@pytest.mark.real
def test_the_command_of_the_page_on_releases_runs_as_it_stands_there(within, exported, endpoint, tmp_path):
    (line,) = re.findall(r"^inspect eval .*$", (ROOT / "docs" / "releases.md").read_text(), re.M)
    exported.rename(tmp_path / "2026-06")
    # The page leaves the model's name to the reader.
    words = shlex.split(line.replace("NAME", "gpt-4o-mini"))
    done = within(*words, OPENAI_BASE_URL=endpoint, OPENAI_API_KEY="none", INSPECT_DISPLAY="plain")
    assert done.returncode == 0, done.stdout + done.stderr
    (log,) = (tmp_path / "logs").glob("*.json")
    assert len(read_answers(log)) == 2
    metrics = json.loads(log.read_text())["results"]["scores"][0]["metrics"]
    shares = {name: each["value"] for name, each in metrics.items() if name.startswith("accuracy")}
    assert shares == {"accuracy_described": 1.0, "accuracy_by_example": 1.0}
