"""`make bench` runs every bench whatever comes of each, and whoever names one finds what it measures and needs."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "bench"


@pytest.fixture(scope="module")
def every():
    spec = importlib.util.spec_from_file_location("every_bench", FOLDER / "every.py")
    module = importlib.util.module_from_spec(spec)
    # A dataclass looks its module up by name.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_each_bench_is_there_and_says_what_it_measures(every):
    for name in every.BENCHES:
        assert (FOLDER / f"{name}.py").is_file()
        assert every.measures(name).rstrip().endswith((".", ":")), name


def test_a_bench_that_fails_holds_up_no_other_and_is_named_at_the_end(every, tmp_path):
    seen = tmp_path / "seen"
    good = [sys.executable, "-c", f"open({str(seen)!r}, 'a').write('x')"]
    commands = {"bus": good, "tasks": [sys.executable, "-c", "raise SystemExit(3)"], "board": good}
    lines = []
    assert every.run_each(list(commands), commands, lines.append) == ["tasks (3)"]
    assert seen.read_text() == "xx"
    assert [line.partition(":")[0] for line in lines[::2]] == ["[1 of 3] bus", "[2 of 3] tasks", "[3 of 3] board"]
    assert "tasks: FAILED with exit code 3 after " in lines[3] and "board: done after " in lines[5]


def test_a_bench_that_is_not_there_is_said_before_any_runs():
    command = [sys.executable, str(FOLDER / "every.py"), "bus", "nosuch"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "no such bench: nosuch" in done.stderr
    done = subprocess.run([*command[:2], "--list"], capture_output=True, text=True, check=True)
    assert "suites: " in done.stdout and "Needs the sandbox and the package index." in done.stdout


def test_make_runs_them_by_this():
    # Beneath another make it would say which folder it leaves.
    command = ["make", "-n", "--no-print-directory", "bench", "BENCHES=bus"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1].endswith("tests/bench/every.py bus")


def test_whatever_is_there_can_be_loaded():
    """A bench that nobody runs for weeks breaks unseen; here it is loaded and not run."""
    code = (
        "import pathlib, runpy, sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "for path in sorted(pathlib.Path(sys.argv[1]).glob('*.py')):\n"
        "    print(path.name, flush=True)\n"
        "    runpy.run_path(str(path), run_name='loaded')\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(FOLDER)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout.splitlines()[-1:]}\n{done.stderr[-2000:]}"
    assert len(done.stdout.splitlines()) == len(list(FOLDER.glob("*.py")))
