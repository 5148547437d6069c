"""A test that is skipped has failed, unless it is a fact of the machine that it was skipped for."""

import contextlib
import itertools
import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[2]
TESTS = """
import pytest


def test_a_part_is_missing():
    pytest.skip("php is not installed")


def test_the_kernel_lacks_something():
    pytest.skip("this kernel was built without io_uring: there is nothing to reach")


@pytest.mark.xfail(reason="known")
def test_known():
    assert False


@pytest.mark.skipif(True, reason="not today")
def test_not_today():
    pass


def test_passes():
    pass
"""


def test_what_is_skipped_for_want_of_a_part_fails(tmp_path):
    (tmp_path / "test_it.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "-c", "pyproject.toml", "-q", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed, 1 passed, 1 skipped, 1 xfailed, 1 error" in done.stdout
    assert "test_a_part_is_missing was to be skipped" in done.stdout
    assert "php is not installed" in done.stdout


def test_all_parts_are_run_and_those_that_failed_are_named(tmp_path):
    """`tests/run.py` covers every folder of tests, and its table says what failed."""
    done = subprocess.run(
        [sys.executable, "tests/run.py", "executor", "languages", "--", "--collect-only", "-q", "-k", "no_such_test"],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 1
    table = done.stdout[done.stdout.index("part ") :]
    assert "executor   FAILED" in table and "languages  FAILED" in table
    done = subprocess.run(
        [sys.executable, "tests/run.py", "nonsense"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "unknown: nonsense; known are rest, servers, executor" in done.stderr


def test_every_test_is_in_one_part(load_script):
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    parts = load_script("tests/run.py").PARTS
    files = [path.relative_to(ROOT) for top in settings["testpaths"] for path in (ROOT / top).rglob("test_*.py")]
    # What runs within Inspect is run by a test of its own.
    files = [path for path in files if not path.is_relative_to("clients/inspect")]
    assert len(files) > 300

    def holds(words, path):
        left_out = [word for before, word in itertools.pairwise(words) if before == "--ignore"]
        taken = [word for word in words if word != "--ignore" and word not in left_out] or settings["testpaths"]
        return any(map(path.is_relative_to, taken)) and not any(map(path.is_relative_to, left_out))

    for path in files:
        assert sum(holds(words, path) for words in parts.values()) == 1, path


def test_a_part_begins_when_another_has_ended_whichever_that_is(tmp_path):
    """The first is short: what is left is run beside the second all the same."""
    for name in ("first", "second", "third"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"test_{name}.py").write_text("def test_it(): pass\n")
    (tmp_path / "second" / "test_second.py").write_text(
        "import time\n"
        "from pathlib import Path\n"
        "def test_the_third_runs_too():\n"
        "    end = time.monotonic() + 60\n"
        f"    while not Path({str(tmp_path)!r}, 'third.begun').exists():\n"
        "        assert time.monotonic() < end\n"
        "        time.sleep(0.05)\n"
    )
    (tmp_path / "third" / "test_third.py").write_text(
        f"from pathlib import Path\ndef test_it():\n    Path({str(tmp_path)!r}, 'third.begun').touch()\n"
    )
    command = _parts(tmp_path, {name: tmp_path / name for name in ("first", "second", "third")})
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_passes_the_second_time_is_named_as_unsteady(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "from pathlib import Path\n"
        "def test_once():\n"
        "    seen = Path(__file__).with_name('seen')\n"
        "    was = seen.exists()\n"
        "    seen.touch()\n"
        "    assert was\n"
        "def test_fine(): pass\n"
    )
    command = _parts(tmp_path, {"made": tmp_path})
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "unsteady" in done.stdout and "test_it::test_once" in done.stdout[done.stdout.index("unsteady (") :]
    (tmp_path / "test_it.py").write_text("def test_never():\n    said = 'a word'\n    assert said == 'another'\n")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 1
    assert "unsteady (" not in done.stdout
    # Of a long output its end is what is read: each failure's last words stand there, both times.
    end = done.stdout[done.stdout.rindex("test_it::test_never:") :]
    assert end.count("AssertionError: assert 'a word' == 'another'") == 2
    assert end.index("test_it::test_never, once more:") < end.index("part ")


def test_parts_run_beside_one_another_and_print_whole(tmp_path):
    for name, other in (("first", "second"), ("second", "first")):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"test_{name}.py").write_text(
            "import time\n"
            "from pathlib import Path\n"
            "def test_the_other_runs_too():\n"
            f"    Path({str(tmp_path)!r}, '{name}.begun').touch()\n"
            "    end = time.monotonic() + 60\n"
            f"    while not Path({str(tmp_path)!r}, '{other}.begun').exists():\n"
            "        assert time.monotonic() < end\n"
            "        time.sleep(0.05)\n"
        )
    command = _parts(tmp_path, {"first": tmp_path / "first", "second": tmp_path / "second"})
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("1 passed") == 2
    assert done.stdout.index("second, after ") < done.stdout.rindex("1 passed") < done.stdout.index("part ")


def test_what_tests_left_running_is_named_and_ended(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import subprocess, sys\n"
        "from pathlib import Path\n"
        "def test_it():\n"
        "    command = [sys.executable, '-c', 'import time; time.sleep(500)']\n"
        "    left = subprocess.Popen(command, start_new_session=True)\n"
        "    Path(__file__).with_name('left').write_text(str(left.pid))\n"
        # No warning of a process that nobody waits for: this is what a supervisor's start does, too.
        "    left.returncode = 0\n"
    )
    command = _parts(tmp_path, {"made": tmp_path})
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "import time; time.sleep(500)" in done.stdout[done.stdout.index("left running by tests") :]
    with contextlib.suppress(psutil.NoSuchProcess):
        assert psutil.Process(int((tmp_path / "left").read_text())).status() == psutil.STATUS_ZOMBIE


def test_ctrl_c_ends_what_runs_and_begins_nothing_else(tmp_path):
    for name in ("first", "second", "third"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"test_{name}.py").write_text(
            "import time\n"
            "from pathlib import Path\n"
            "def test_it():\n"
            f"    Path({str(tmp_path)!r}, '{name}.begun').touch()\n"
            "    time.sleep(60)\n"
        )
    command = _parts(tmp_path, {name: tmp_path / name for name in ("first", "second", "third")})
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True) as running:
        end = time.monotonic() + 60
        while not all((tmp_path / f"{name}.begun").exists() for name in ("first", "second")):
            assert time.monotonic() < end
            time.sleep(0.05)
        os.killpg(running.pid, signal.SIGINT)
        said = running.communicate(timeout=60)[0]
    assert running.returncode == 1
    assert said.count("KeyboardInterrupt") >= 2
    assert "stopped: not run were third" in said
    assert not (tmp_path / "third.begun").exists()


def _parts(folder, parts):
    """The command that runs these folders as parts."""
    program = (
        "import importlib.util, pathlib, sys\n"
        "spec = importlib.util.spec_from_file_location('run', 'tests/run.py')\n"
        "module = sys.modules['run'] = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(module)\n"
        f"module.PARTS = { {name: [str(place)] for name, place in parts.items()}!r}\n"
        f"module._REPORTS = pathlib.Path({str(folder)!r})\n"
        "sys.argv = ['run.py', '--', '-c', 'pyproject.toml']\n"
        "sys.exit(module.main())\n"
    )
    return [sys.executable, "-c", program]
