"""`make chaos` names every disturbance, and goes on where it stood."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

CHAOS = Path(__file__).parents[1] / "chaos"
# Prints a line for each part that it is told of, up to the first that is called "crash"; all of them by default.
SCRIPT = """
import json, sys
parts = sys.argv[sys.argv.index("--only") + 1].split(",") if "--only" in sys.argv else ["whole"]
for part in parts:
    if part == "crash":
        sys.exit(9)
    print(json.dumps({"what": part, "problem": "lost" if part == "bad" else ""}))
sys.exit("bad" in parts)
"""


@pytest.fixture(scope="module")
def chaos(load_script):
    """The runner; its parts import one another by name."""
    return load_script("tests/chaos/run.py")


@pytest.fixture
def make(chaos, tmp_path, monkeypatch, capsys):
    """Calls the runner with some steps; gives its exit code and what it printed."""
    (tmp_path / "script.py").write_text(SCRIPT)
    monkeypatch.setattr(chaos, "HERE", tmp_path)
    monkeypatch.setattr(chaos, "RECORDS", tmp_path / "records")
    monkeypatch.setattr(chaos, "state_of_sources", lambda: "commit")

    def call(*steps):
        monkeypatch.setattr(chaos, "steps", lambda _seconds, _count: list(steps))
        monkeypatch.setattr(sys, "argv", ["run.py"])
        code = chaos.main()
        said = capsys.readouterr()
        return code, [json.loads(line)["what"] for line in said.out.splitlines()], said.err

    return call


@pytest.fixture
def step(chaos):
    return chaos.Step("shared", "script", 1, parts=("a", "b", "c"), part_of=lambda line: line["what"])


def test_what_was_done_is_told_and_not_done_again(make, chaos, step):
    whole = chaos.Step("alone", "script", 1)
    code, lines, said = make(step, whole)
    assert (code, lines) == (0, ["a", "b", "c", "whole"])
    assert "[1/2] shared; about 2 min are left" in said and "shared 3/3 c: ok" in said
    code, lines, said = make(step, whole)
    assert (code, lines, said) == (0, ["a", "b", "c", "whole"], "")
    # With other options it is another thing.
    assert "alone" in make(replace(whole, options=("--count", "1")))[2]


def test_a_step_that_was_interrupted_goes_on_where_it_stood(make, step):
    code, lines, said = make(replace(step, parts=("a", "crash", "b")))
    assert (code, lines) == (1, ["a"]) and "found by: shared" in said
    code, lines, said = make(replace(step, parts=("a", "b", "c")))
    assert (code, lines) == (0, ["a", "b", "c"])
    assert "shared 2/2 c" in said


def test_what_was_found_is_looked_for_again(make, step):
    for _ in range(2):
        code, lines, said = make(replace(step, parts=("a", "bad")))
        assert code == 1 and "FOUND" in said and lines[-1] == "bad"


def test_a_record_that_was_cut_short_is_read_as_far_as_it_goes(make, chaos, step):
    make(step)
    (record,) = chaos.RECORDS.iterdir()
    record.write_text(record.read_text().rstrip("\n")[:-5])
    assert make(step)[:2] == (0, ["a", "b", "c"])


def test_steps_and_their_parts_are_found_by_their_names(chaos):
    every = chaos.steps(120, 10_000)
    names = [step.name for step in every]
    assert len(set(names)) == len(names) and all((CHAOS / f"{step.script}.py").is_file() for step in every)
    found = {step.name: parts for step, parts in chaos.chosen(every, ["kafka", "killed:postgres", "doors", "StartRun"])}
    assert found == {
        "doors": (),
        "requests": ("/touchstone.evaluator.v1.EvaluatorService/StartRun",),
        "outages": ("away:kafka", "killed:postgres", "killed:kafka"),
    }
    assert [parts for _, parts in chaos.chosen(every, [])] == [step.parts for step in every]
    with pytest.raises(ValueError, match="earthquake"):
        chaos.chosen(every, ["kafka", "earthquake"])
