"""A test that is skipped has failed, unless it is a fact of the machine that it was skipped for."""

import subprocess
import sys
from pathlib import Path

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
    assert "unknown: nonsense; known are rest, executor" in done.stderr


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
    program = (
        "import importlib.util, pathlib, sys\n"
        "spec = importlib.util.spec_from_file_location('run', 'tests/run.py')\n"
        "module = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(module)\n"
        f"module.PARTS = {{'made': [{str(tmp_path)!r}]}}\n"
        f"module._REPORTS = pathlib.Path({str(tmp_path)!r})\n"
        f"sys.argv = ['run.py', '--', '-c', 'pyproject.toml', '-o', 'cache_dir={tmp_path}/cache']\n"
        "sys.exit(module.main())\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "unsteady" in done.stdout and "test_it::test_once" in done.stdout[done.stdout.index("unsteady (") :]
    (tmp_path / "test_it.py").write_text("def test_never(): assert False\n")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 1
    assert "unsteady (" not in done.stdout
