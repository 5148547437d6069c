"""A release as a task folder of lm-eval: laid out as its guide says, and judged by our sandbox, whoever asks.

lm-eval itself is no dependency: the keys are held by its documented ones here, and `docs/releases.md` says with which
version of it the folder was loaded by hand.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
from pathlib import Path

import pytest
import yaml

from pbt_generator.domain.release import Selection
from touchstone_contracts.task_releases import retractions_digest
from touchstone_runtime.extraction import READING, answer_of, extract

# Source: lm-evaluation-harness 0.4, docs/task_guide.md, "Configurations" and "Metrics".
KEYS = {"task", "custom_dataset", "test_split", "output_type", "doc_to_text", "doc_to_target", "generation_kwargs",
        "process_results", "metric_list", "num_fewshot", "metadata"}  # fmt: skip
METRIC_KEYS = {"metric", "aggregation", "higher_is_better"}


class Task(yaml.SafeLoader):
    """A YAML file with `!function`, as lm-eval reads it."""


Task.add_constructor("!function", lambda loader, node: ("function", loader.construct_scalar(node)))


@pytest.fixture
async def exported(load_module, tmp_path):
    fakes = load_module("services/pbt-generator/tests/conftest.py")
    made = load_module("services/pbt-generator/tests/releases/conftest.py")
    decisions, blobs = fakes.MemoryDecisions(), fakes.MemoryBlobs()
    releases, announcer = fakes.MemoryReleases(decisions), fakes.RecordingAnnouncer()
    house = made.House(fakes.ChildSandbox(), decisions, releases, announcer, blobs)
    await house.fill({})
    await house.desk.create("2026-06", Selection())
    await house.desk.retract(house.ids["spread"], "it is wrong")
    return house.write(await house.export("2026-06", "lm-eval"), tmp_path)


def imported(folder):
    """The module of an export, imported as lm-eval imports it."""
    spec = importlib.util.spec_from_file_location("touchstone_judge", folder / "lm_eval" / "touchstone_judge.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def judge(exported, monkeypatch):
    """The exported module, with our command on the path."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return imported(exported)


def test_two_exports_in_one_process_read_answers_each_by_its_own_reader(exported, tmp_path):
    other = tmp_path / "of another version"
    shutil.copytree(exported / "lm_eval", other / "lm_eval")
    for name, more in (
        ("extraction", "\n\ndef extract(answer, entry_point):\n    return Extraction(Found.PROGRAM, spoken(answer))\n"),
        ("thoughts", "\n\ndef spoken(answer):\n    return 'of the other'\n"),
    ):
        with (other / "lm_eval" / f"touchstone_{name}.py").open("a") as reader:
            reader.write(more)
    before = {name for name in sys.modules if name.startswith("touchstone_")}
    answer = "```python\ndef f(): return 1\n```"
    judges = [imported(exported), imported(other), imported(exported)]
    for _ in range(2):
        assert [each.program(answer, "f") for each in judges] == [
            "def f(): return 1\n",
            "of the other",
            "def f(): return 1\n",
        ]
    assert {name for name in sys.modules if name.startswith("touchstone_")} == before


def test_the_task_is_laid_out_as_the_guide_says(exported, judge):
    task = yaml.load((exported / "lm_eval" / "touchstone.yaml").read_text(), Loader=Task)
    assert set(task) == KEYS and task["task"] == "touchstone_2026_06"
    manifest = json.loads((exported / "manifest.json").read_text())
    notes = json.loads((exported / "retractions.json").read_text())
    assert task["metadata"] == {
        "version": float(READING), "release": "2026-06", "digest": manifest["digest"],
        "retractions": retractions_digest(notes), "retracted": list(notes),
    }  # fmt: skip
    assert all(set(metric) == METRIC_KEYS for metric in task["metric_list"])
    names = [metric["metric"] for metric in task["metric_list"]]
    assert names == ["pass_at_1_described", "pass_at_1_by_example"]
    for named in (task["custom_dataset"], task["process_results"]):
        assert callable(getattr(judge, named[1].removeprefix("touchstone_judge.")))
    rows = judge.dataset(**task["metadata"])[task["test_split"]]
    # One was taken back.
    told = {row["entry_point"]: row["wording"] for row in rows}
    assert told == {"clamp": "described", "halves": "by_example"}
    assert all((exported / "parts" / row["suite"]).is_file() and row["entry_point"] in row["prompt"] for row in rows)


@pytest.mark.real
def test_answers_are_judged_in_our_sandbox(exported, judge, load_module):
    sources = load_module("services/pbt-generator/tests/releases/conftest.py")
    (halves,) = [row for row in judge.dataset()["test"] if row["entry_point"] == "halves"]
    told = f"So:\n```python\n{sources.HALVES.split('import math')[1]}```\nDone."
    name = f"pass_at_1_{halves['wording']}"
    assert judge.process_results(halves, [told]) == {name: 1}
    assert halves["prelude"].strip()
    futures = told.replace("```python\n", "```python\nfrom __future__ import annotations\n")
    assert judge.process_results(halves, [futures]) == {name: 1}
    for wrong in (told.replace("/ 2", "/ 3"), "", "def halves(*given):\n    import os\n    os._exit(0)\n"):
        assert judge.process_results(halves, [wrong]) == {name: 0}


def test_a_missing_verdict_is_an_error_and_no_wrong_answer(exported, judge, tmp_path, monkeypatch):
    broken = tmp_path / "bin" / "touchstone"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho the sandbox does not start >&2\nexit 2\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{broken.parent}{os.pathsep}{os.environ['PATH']}")
    row = judge.dataset()["test"][0]
    with pytest.raises(RuntimeError, match="does not start"):
        judge.process_results(row, ["def clamp(): pass"])
    broken.write_text('#!/bin/sh\necho \'{"verdict": "platform_fault"}\'\n')
    with pytest.raises(RuntimeError, match="sandbox failed"):
        judge.process_results(row, ["def clamp(): pass"])


@pytest.mark.parametrize(
    ("said", "program"),
    [
        ("```\ndef f(): 1\n```\nor\n```py\ndef g(): 22222\n```", "def f(): 1\n"),
        ("```python\ndef f(): return 1\n```\n```python\ndef f(): return 2\n```", "def f(): return 1\n"),
        ("<think>```python\ndef f(): return 9\n```</think>\n```python\ndef f(): return 1\n```", "def f(): return 1\n"),
        ("```python\ndef f(): return 4", "def f(): return 4\n"),
        ("def f(): return 3", "def f(): return 3\n"),
        ("```\nx = 1\n```", ""),
    ],
)
def test_the_program_in_an_answer_is_the_one_that_the_board_takes(judge, said, program):
    assert judge.program(said, "f") == program == extract(answer_of(said, "f"), "f").code
