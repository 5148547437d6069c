"""A long bench that is cut short keeps the tasks that are done, says that its figures are partial, and can go on."""

import asyncio
import contextlib
import json
import os
import signal

import pytest


@pytest.fixture(scope="module")
def piecewise(load_script):
    return load_script("tests/bench/piecewise.py")


class Idle:
    """A bench that builds nothing."""

    cpu_s = 0.0


@pytest.fixture
def run(piecewise, monkeypatch, tmp_path, capsys):
    """Measure three tasks, and give the exit status, the lines, and the names of what was measured."""
    monkeypatch.setattr(piecewise, "Bench", lambda address, advisor: contextlib.nullcontext(Idle()))
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "task.json").write_text('{"function": "truth.py::f", "kind": "SC"}')
        (tmp_path / name / "truth.py").write_text("def f(x):\n    return x\n")

    def run(disturb=lambda name: None, earlier=None):
        asked = []

        async def measured(bench, task):
            asked.append(task.name)
            if disturb(task.name):
                await asyncio.sleep(60)
            return {"verdict": "passed"}

        pieces = piecewise.Piecewise("idle", tmp_path, lambda lines: [{"tasks": len(lines)}], earlier)
        try:
            status = asyncio.run(pieces.run("unix:/nowhere", measured))
        except LookupError:
            status = None
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        return status, lines, asked

    return run


def at_b(number):
    """Send this process a signal when `b` is measured."""
    return lambda name: name == "b" and (os.kill(os.getpid(), number), True)[1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_run_and_what_is_done_is_summed_up_as_partial(run, number):
    status, lines, asked = run(at_b(number))
    assert status == 128 + number and asked == ["a", "b"]
    assert [line.get("task") for line in lines] == ["a", None]
    assert lines[-1]["partial"] == "1 of 3 tasks" and lines[-1]["tasks"] == 1


def test_an_error_ends_the_run_and_is_raised_after_the_summary(run):
    def missing(name):
        if name == "c":
            raise LookupError("not there any more")

    status, lines, _ = run(missing)
    assert status is None and lines[-1]["partial"] == "2 of 3 tasks"


def test_a_run_takes_over_what_an_earlier_one_did_where_the_task_is_the_same(run, tmp_path):
    _, lines, _ = run(at_b(signal.SIGTERM))
    whole = run()[1]
    other = whole[2] | {"builder": "pbt-0"}
    earlier = tmp_path / "earlier.jsonl"
    earlier.write_text("".join(f"{json.dumps(line)}\n" for line in [*lines, whole[1], other]) + '{"bench": "id')
    (tmp_path / "b" / "wrong.py").write_text("def f(x):\n    return 1\n")
    status, resumed, asked = run(earlier=earlier)
    assert status == 0 and asked == ["b", "c"]
    assert [line.get("task") for line in resumed] == ["a", "b", "c", None]
    assert "partial" not in resumed[-1] and resumed[-1]["tasks"] == 3
