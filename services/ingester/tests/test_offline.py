"""`python -m ingester classify` and `extract`: no service, no broker."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from touchstone_contracts.events import FunctionExtracted

TEXT = """import math

class A:
    @staticmethod
    def area(r):
        return math.pi * r if r > 0 else 0

    def other(self): pass

def outer(x):
    def inner(y):
        return y if y else 1
    return inner(x)

def area2(x): return missing(x)
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "ingester", *arguments], capture_output=True, text=True, check=False)


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / "module.py"
    path.write_text(TEXT)
    return path


def test_classify_prints_one_array(module: Path) -> None:
    done = run("classify", str(module), "--json")
    assert done.returncode == 0
    rows = json.loads(done.stdout)
    assert [(row["qualname"], row["class"], row["task_candidate"]) for row in rows] == [
        ("A.area", "WSC", True),
        ("A.other", "SC", False),
        ("outer", "SC", False),
        ("outer.<locals>.inner", "SC", True),
        ("area2", "DISCARDED", False),
    ]
    first, last = rows[0], rows[-1]
    assert (first["path"], first["line_start"], first["line_end"]) == ("module.py", 4, 6)
    assert (first["imports"], first["libraries"], first["complexity"]) == (["import math"], ["math"], 2)
    assert last["reasons"] == [{"reference": "missing", "line": 15, "why": last["reasons"][0]["why"]}]
    assert "line 15: missing is defined nowhere" in last["reason"]
    assert last["rejected_by"] == "dependencies"


def test_classify_reads_folders_and_archives_alike(module: Path, tmp_path: Path) -> None:
    folder = tmp_path / "package"
    folder.mkdir()
    module.rename(folder / "module.py")
    (folder / "broken.py").write_text("def f(:\n")
    (folder / "notes.txt").write_text("def g(x): return x\n")
    packed = tmp_path / "package.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(folder, "package")
    zipped = tmp_path / "package.whl"
    with zipfile.ZipFile(zipped, "w") as archive:
        for path in folder.iterdir():
            archive.write(path, f"package/{path.name}")
    answers = []
    for target in (folder, packed, zipped):
        done = run("classify", str(target), "--json")
        assert done.returncode == 0
        assert "broken.py: does not parse: line 1" in done.stderr
        answers.append([(row["qualname"], row["class"], row["line"]) for row in json.loads(done.stdout)])
    assert answers[0] == answers[1] == answers[2]
    assert len(answers[0]) == 5
    # Two files of an archive may have one name.
    assert {row["path"] for row in json.loads(done.stdout)} == {"package/module.py"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def f(x:\n    return x +\n", "line 1, column 6: '(' was never closed"),
        ("def f(a):\n    return a\n\ndef g(a):\n    return a a\n", "line 5, column 14: invalid syntax"),
        ("def f(a)\n    return a\n", "line 1, column 9: expected ':'"),
    ],
)
def test_what_does_not_parse_is_told_where_and_why_as_python_tells_it(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(text)
    for command in (("classify", str(tmp_path / "broken.py")), ("extract", f"{tmp_path / 'broken.py'}::f")):
        done = run(*command)
        assert done.returncode != 0
        assert f"broken.py: does not parse: {told} (mend its syntax" in done.stderr


def test_what_lies_in_tests_and_vendored_copies_is_no_candidate(module: Path, tmp_path: Path) -> None:
    text = "def area(r):\n    return 3 * r if r > 0 else 0\n"
    places = {
        "src/area.py": "",
        "src/_vendor/area.py": "vendored",
        "tests/area.py": "test_file",
        "docs/area.py": "test_file",
        "area_test.py": "test_file",
    }
    for place in places:
        (tmp_path / "of" / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "of" / place).write_text(text)
    rows = json.loads(run("classify", str(tmp_path / "of"), "--json").stdout)
    assert {row["path"]: row["rejected_by"] for row in rows} == places
    assert [row["path"] for row in rows if row["task_candidate"]] == ["src/area.py"]
    # Of one file or folder only a folder above it tells that.
    top = ("--top", str(tmp_path / "of"))
    for place, refused in places.items():
        (row,) = json.loads(run("classify", str(tmp_path / "of" / place), *top, "--json").stdout)
        assert (row["rejected_by"], row["path"]) == (refused, place.rpartition("/")[2])
    (row,) = json.loads(run("classify", str(tmp_path / "of/tests"), *top, "--json").stdout)
    assert (row["rejected_by"], row["path"]) == ("test_file", "area.py")
    done = run("classify", str(module), *top, "--json")
    assert (done.returncode, done.stderr) == (
        1,
        f"{module}: does not lie in {tmp_path / 'of'} (name a folder above it)\n",
    )


def test_bad_input_gets_one_line_and_no_traceback(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("def f(:\n")
    fake = tmp_path / "fake.tar.gz"
    fake.write_bytes(b"\x1f\x8bnonsense")
    hostile = tmp_path / "hostile.tar"
    with tarfile.open(hostile, "w") as archive:
        entry = tarfile.TarInfo("../escaped.py")
        entry.size = 1
        archive.addfile(entry, io.BytesIO(b"1"))
    for target, words in (
        (broken, "does not parse"),
        (fake, "no archive"),
        (hostile, "outside"),
        (tmp_path / "no", "no such"),
    ):
        done = run("classify", str(target), "--json")
        # Whoever asks of many files can tell one that holds no code that parses from any other fault.
        assert done.returncode == (3 if target == broken else 1)
        assert words in done.stderr.splitlines()[-1]
        assert "Traceback" not in done.stderr
    assert not (tmp_path.parent / "escaped.py").exists()


@pytest.mark.parametrize(
    ("wanted", "qualname"),
    [
        ("A.area", "A.area"),
        ("area", "A.area"),
        ("outer.<locals>.inner", "outer.<locals>.inner"),
        ("outer.inner", "outer.<locals>.inner"),
    ],
)
def test_extract_prints_one_event(module: Path, wanted: str, qualname: str) -> None:
    done = run("extract", f"{module}::{wanted}")
    assert done.returncode == 0, done.stderr
    event = FunctionExtracted.model_validate_json(done.stdout)
    assert event.function.qualname == qualname
    assert event.task_candidate
    assert run("extract", f"{module}::{wanted}").stdout.split("occurred_at")[0] == done.stdout.split("occurred_at")[0]


def test_extract_says_what_there_is(module: Path, tmp_path: Path) -> None:
    absent = run("extract", f"{module}::nothing")
    assert absent.returncode == 1
    assert "has no function nothing" in absent.stderr
    assert "A.area" in absent.stderr
    twice = tmp_path / "twice.py"
    twice.write_text("class A:\n    def f(self): pass\nclass B:\n    def f(self): pass\n")
    assert "name one of A.f, B.f" in run("extract", f"{twice}::f").stderr
    assert run("extract", str(module)).returncode == 1
    assert run("extract", "missing.py::f").returncode == 1


TWICE = """\
try:
    import numpy
except ImportError:
    def widen(values, by):
        total = []
        for value in values:
            total.append(value + by)
        return total
else:
    def widen(values, by):
        return list(numpy.add(values, by))


class Box:
    def widen(self):
        return 1
"""


def test_of_several_definitions_the_last_is_extracted_or_the_one_at_a_line(tmp_path: Path) -> None:
    twice = tmp_path / "twice.py"
    twice.write_text(TWICE)
    lines = {}
    for target in ("widen", "widen@4", "widen@10", "Box.widen", "Box.widen@15"):
        done = run("extract", f"{twice}::{target}")
        assert done.returncode == 0, done.stderr
        lines[target] = FunctionExtracted.model_validate_json(done.stdout).function.line_start
    assert list(lines.values()) == [10, 4, 10, 15, 15]
    for target, words in (
        ("widen@7", "has no function widen that begins at line 7"),
        ("widen@x", "write FILE::FUNCTION@LINE"),
    ):
        done = run("extract", f"{twice}::{target}")
        assert done.returncode == 1 and words in done.stderr and "Traceback" not in done.stderr


FORMS = '''"""Words."""


def plain(text: str) -> str:
    return text.strip()


def tail_of(text: str, width: int) -> str:
    if width <= 0:
        return ""
    return plain(text)[-width:]


class Box:
    def __init__(self, width: int, sign: str) -> None:
        self.width = width
        self.sign = sign

    def fit(self, text: str) -> str:
        if len(text) > self.width:
            return text[: self.width]
        return text + self.sign * (self.width - len(text))


class Pile:
    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.items: list[int] = []

    def push(self, item: int) -> bool:
        if len(self.items) >= self.limit:
            return False
        self.items.append(item)
        return True

    def pop(self) -> int:
        return self.items.pop() if self.items else 0
'''


def test_what_is_a_candidate_in_another_form_is_told_as_the_candidate_that_is_extracted(tmp_path: Path) -> None:
    package = tmp_path / "names"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "forms.py").write_text(FORMS)
    far = "from names.forms import tail_of\ndef last(text: str) -> str:\n    return tail_of(text, 3) if text else '-'\n"
    (package / "far.py").write_text(far)
    told = {}
    for target in (package / "forms.py", package / "far.py", package):
        done = run("classify", str(target), "--json")
        assert done.returncode == 0, done.stderr
        told[target.name] = {row["qualname"]: row for row in json.loads(done.stdout)}
    # A file is looked at as a part of its package, on its own as in the folder.
    assert {row["path"] for row in told["forms.py"].values()} == {"forms.py"}
    assert told["far.py"]["last"]["slice"] and told["far.py"]["last"]["task_candidate"]
    rows = told["forms.py"]
    assert rows["tail_of"]["slice"] and rows["Box.fit"]["record"] and rows["Pile"]["sequence"]
    assert (rows["tail_of"]["class"], rows["tail_of"]["reason"]) == ("SC", "cut out of its source, with plain")
    assert not rows["plain"]["task_candidate"] and "Box" not in rows
    for name, row in rows.items():
        done = run("extract", f"{package / 'forms.py'}::{name}@{row['line']}")
        event = FunctionExtracted.model_validate_json(done.stdout)
        assert row["task_candidate"] == event.task_candidate, name
        assert row["complexity"] == event.function.complexity, name
