"""The runner that lies in an exported task: it ends with 0 only where every case was judged and passed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pbt_generator.domain.release import Selection

RIGHT = "def clamp(x, low=0, high=10):\n    return min(max(x, low), high)\n"
HEAD = "import os, sys\ndef clamp(x, low=0, high=10):\n"


@pytest.fixture
async def task(house: Any, tmp_path: Path) -> Path:
    """The folder of a task of sixty cases."""
    await house.desk.create("one", Selection(task_ids=(house.ids["clamp"],)))
    return house.write(await house.export("one", "code2bench"), tmp_path) / house.ids["clamp"]


def run(
    task: Path,
    program: str,
    cwd: Path | None = None,
    variables: dict[str, str] | None = None,
    *,
    isolated: bool = True,
    given: str = "",
) -> tuple[int, dict[str, Any], str]:
    """Exit code, summary, and what stands on standard error."""
    (task / "tested.py").write_text(program)
    done = subprocess.run(
        [sys.executable, *(["-I"] if isolated else []), "-B", task / "runner.py"],
        cwd=cwd or task,
        env={"PATH": os.defpath} | (variables or {}),
        input=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.returncode, json.loads(done.stdout or "{}"), done.stderr


@pytest.mark.parametrize(
    "program",
    [
        RIGHT,
        'print("a line", {"passed": 0})\n' + RIGHT,
        RIGHT.replace("    return", "    print(x)\n    return"),
        "import atexit, sys, threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\n" + RIGHT,
    ],
)
def test_a_right_program_passes_whatever_it_prints_and_leaves_behind(task: Path, program: str) -> None:
    code, summary, said = run(task, program, cwd=task.parent)
    assert (code, summary) == (0, {"passed": 60, "failed": 0, "total": 60, "failures": []}), said
    assert said.count("a line") == program.count("a line") and ("print(x)" not in program or "\n39\n" in said)


@pytest.mark.parametrize(
    ("program", "passed", "words"),
    [
        (HEAD + "    sys.exit(0)\n", 0, "SystemExit: 0"),
        (HEAD + "    raise KeyboardInterrupt\n", 0, "KeyboardInterrupt: "),
        (HEAD + "    os._exit(0)\n", 0, "the program ended with code 0 before that"),
        (HEAD + "    if x == -19:\n        os._exit(3)\n    return low\n", 1, "ended with code 3 before that"),
        (RIGHT + "import sys\nsys.exit()\n", 0, "tested.py: SystemExit: "),
        (RIGHT + "import os\nos._exit(0)\n", 0, "the program ended with code 0 before that"),
        ('print(\'{"passed": 60, "failed": 0}\')\nraise SystemExit\n', 0, "tested.py: SystemExit"),
        ("def clamp(:\n", 0, "tested.py: SyntaxError"),
        ("def other(x): return x\n", 0, "tested.py: AttributeError"),
        ("class Odd(BaseException): pass\n" + HEAD + "    raise Odd('so')\n", 0, "Odd: so"),
        (HEAD + "    return object()\n", 0, "object has no portable form"),
    ],
)
def test_what_was_not_judged_has_not_passed(task: Path, program: str, passed: int, words: str) -> None:
    code, summary, _ = run(task, program)
    assert (code, summary["passed"], summary["failed"], summary["total"]) == (1, passed, 60 - passed, 60)
    assert summary["failures"][0]["type"] == "ExecutionError" and len(summary["failures"]) == 50
    assert words in summary["failures"][0]["error"], summary["failures"][0]
    assert words in summary["failures"][-1]["error"] and summary["failures"][0]["case_id"] == passed + 1


def test_a_wrong_result_is_a_failure_of_its_case(task: Path) -> None:
    code, summary, _ = run(task, RIGHT.replace("return", "return x == 3 or"))
    assert (code, summary["failed"]) == (1, 1) and summary["failures"][0]["type"] == "TestFailure"


# What a program finds of the variables that results hang on: all sixty cases are wrong where one differs.
PLACED = """import os, time
def clamp(x, low=0, high=10):
    there = time.timezone, os.environ["LC_ALL"], hash("a"), os.environ.get("PYTHONPATH")
    return min(max(x, low), high) if there == THERE else there
"""


@pytest.mark.parametrize("isolated", [True, False])
def test_a_program_runs_as_where_its_results_were_made(task: Path, isolated: bool) -> None:
    seeded = subprocess.run(
        [sys.executable, "-c", "print(hash('a'))"], env={"PYTHONHASHSEED": "1"}, capture_output=True, check=True
    )
    there = 0, "C.UTF-8", int(seeded.stdout), None if isolated else "/nowhere"
    here = {"TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "7", "PYTHONPATH": "/nowhere"}
    program = PLACED.replace("THERE", repr(there))
    code, summary, said = run(task, program, variables=here, isolated=isolated)
    assert (code, summary["passed"]) == (0, 60), (summary, said)


# Each is wrong in some case where Python's own variables or standard input reach it.
UNREACHED = {
    "warnings": "import warnings\n" + HEAD + "    warnings.warn('old', DeprecationWarning)\n",
    "asserts": HEAD
    + "    try:\n        assert False\n    except AssertionError:\n        pass\n    else:\n        return 99\n",
    "digits": HEAD + "    str(10 ** 4000)\n",
    "input": HEAD + "    if sys.stdin.read():\n        return 99\n",
}


@pytest.mark.parametrize("program", UNREACHED.values(), ids=list(UNREACHED))
@pytest.mark.parametrize("isolated", [True, False])
def test_no_variable_of_python_and_no_input_reaches_a_program(task: Path, program: str, isolated: bool) -> None:
    here = {"PYTHONWARNINGS": "error", "PYTHONOPTIMIZE": "1", "PYTHONINTMAXSTRDIGITS": "640"}
    program += "    return min(max(x, low), high)\n"
    code, summary, said = run(task, program, variables=here, isolated=isolated, given="words\n")
    assert (code, summary["passed"]) == (0, 60), (summary, said)


def test_a_machine_without_the_library_of_a_task_judges_nothing(task: Path) -> None:
    runner = task / "runner.py"
    text = runner.read_text()
    assert "LIBRARIES = []\n" in text
    runner.write_text(text.replace("LIBRARIES = []", "LIBRARIES = ['json', 'nowhere_to_be_found']"))
    code, summary, said = run(task, RIGHT)
    assert (code, summary) == (1, {})
    assert "nothing was judged: this Python lacks nowhere_to_be_found, which the task is about" in said


@pytest.mark.parametrize("name", ["cases.jsonl", "expected.jsonl", "groundtruth.py", "test_cases", "certificate.json"])
def test_a_program_finds_inputs_and_codec_beside_it_and_nothing_that_tells_a_result(task: Path, name: str) -> None:
    looks = (
        f"import sys\nfrom pathlib import Path\nHELD = [p for p in ['.', *sys.path] if Path(p, {name!r}).exists()]\n"
    )
    code, summary, _ = run(task, looks + RIGHT.replace("return", "return HELD or"))
    assert (code, summary["passed"]) == (0, 60), summary


@pytest.mark.parametrize("left", ["", '{"arguments": [-20, 0, 10], "expected": 0}\n'])
def test_cases_that_are_missing_have_not_passed(task: Path, left: str) -> None:
    emptied = f"from pathlib import Path\nPath('cases.jsonl').write_text({left!r})\n"
    code, summary, _ = run(task, emptied + HEAD + "    return 0\n")
    assert (code, summary["total"]) == (1, 60) and summary["failed"] > 20
    (task / "cases.jsonl").write_text(left)
    code, summary, said = run(task, RIGHT)
    assert code and summary == {} and f"cases.jsonl holds {left.count('arguments')} cases, the task has 60" in said
