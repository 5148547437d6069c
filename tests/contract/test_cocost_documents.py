"""Documentation of the sandbox's packages is collected there and found; pictures and tensors of drafts are shown."""

from __future__ import annotations

import json
import sys
import types
import zlib

import pytest

from evaluator.adapters.documents import PackageDocuments
from evaluator.adapters.harness_texts import harness_text
from evaluator.adapters.sandbox import GrpcSandbox
from evaluator.domain.cocost import PROBE, UNMADE, probe_program
from evaluator.domain.serialise import describe
from evaluator.errors import SandboxFailedError
from evaluator.ports import CallRun
from touchstone_cli.sandbox_server import sandbox_address
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.grpc_server import channel
from touchstone_values import encode


@pytest.fixture(scope="module")
def address():
    with sandbox_address() as found:
        yield found


@pytest.fixture
async def sandbox(address):
    connection = channel(address)
    yield GrpcSandbox(connection, case_timeout_s=110.0)
    await connection.close()


class Away:
    """A sandbox that has gone: whoever asks it gets nothing."""

    async def run_calls(self, source, entry_point, inputs, language="python"):
        return [CallRun("killed", error_message="gone")] * len(inputs)


@pytest.mark.real
async def test_documents_of_the_sandboxs_packages_answer_queries(sandbox, tmp_path):
    blobs = BlobStore(f"file://{tmp_path}")
    documents = PackageDocuments(sandbox, blobs)
    wanted = {
        "solve a linear system of equations": "solve",
        "merge data frames on a key column": "merge",
        "shortest path between two nodes of a graph": "shortest",
        "count hashable objects, most common first": "collections.Counter",
        "SortedDict whose keys stay sorted": "sortedcontainers",
        "difflib close matches of a word": "difflib.get_close_matches",
    }
    for query, part in wanted.items():
        found = await documents.search(query, limit=16, occasion="run/task")
        assert len(found) == 16 and len({each.name for each in found}) == 16
        assert any(part in each.name for each in found[:5]), (query, [each.name for each in found])
    asked = await documents.search("count hashable objects", limit=16, occasion="run/task")
    (counter,) = [each for each in asked if each.name == "collections.Counter"]
    assert counter.package == "cpython" and counter.version.startswith("3.")
    assert counter.text.startswith("collections.Counter(") and "hashable" in counter.text
    # What a package says of itself, in the words of its own metadata.
    about = await documents.search("networkx Python package creation manipulation networks", limit=16, occasion="a")
    assert any(each.name == "networkx" and each.version.count(".") for each in about)
    # A known occasion needs no sandbox; a new one, for a new process, does.
    again = await PackageDocuments(Away(), blobs).search("count hashable objects", limit=16, occasion="run/task")
    assert again == asked
    with pytest.raises(SandboxFailedError, match="gone"):
        await PackageDocuments(Away(), blobs).search("count hashable objects", limit=16, occasion="another")


class Odd:
    """A sandbox with two packages: one has words that no UTF-8 has, the other has none or ends badly."""

    def __init__(self, ending, program):
        self.ending, self.asked = ending, []
        self._program = program

    async def run_calls(self, source, entry_point, inputs, language="python"):
        (text,) = inputs
        arguments = json.loads(text)
        self.asked.append(arguments[0] if arguments else "")
        if not arguments:
            return [CallRun("returned", encode([["cpython", "3.11", ["oddly"]], ["silent", "1", ["silent"]]]))]
        if arguments[0] == "silent":
            return [self.ending]
        return [CallRun("returned", encode(self._program["documents"](*arguments)))]


@pytest.fixture
def program(monkeypatch):
    """What runs in the sandbox, with a module whose docstring holds half of a pair of surrogates."""
    module = types.ModuleType("oddly", "half \ud83d a sign of oddness")
    monkeypatch.setitem(sys.modules, "oddly", module)
    names = {}
    exec(harness_text("documents"), names)
    return names


EMPTY = encode(zlib.compress(b"{}"))


@pytest.mark.parametrize(
    ("ending", "again"),
    [
        (CallRun("returned", EMPTY), False),
        (CallRun("raised", error_type="ImportError", error_message="no"), False),
        (CallRun("exited"), False),
        (CallRun("timed_out"), True),
        (CallRun("killed"), True),
    ],
)
async def test_documents_are_kept_unless_there_was_no_time_for_a_package(program, tmp_path, ending, again):
    sandbox, blobs = Odd(ending, program), BlobStore(f"file://{tmp_path}")
    for number in range(2):
        (found,) = await PackageDocuments(sandbox, blobs).search("oddness", limit=4, occasion=f"run/{number}")
        assert found.name == "oddly" and found.text == "oddly\nhalf ? a sign of oddness"
    assert sandbox.asked == ["", "cpython", "silent", "", *(["cpython", "silent"] if again else [])]


PICTURES = """
import numpy as np


class Plot:
    def __init__(self, words):
        self.words = words

    def _repr_svg_(self):
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" width="90pt" height="60pt"><metadata>who made it</metadata>'
            '<g><path d="M 1.26 2.74 L 30.01 4.49" style="fill: none; stroke: #1f77b4"/>'
            f'<text x="4.4">{self.words}</text></g></svg>'
        )


class Tensor:
    def __init__(self, values):
        self.values = values

    def detach(self):
        return self

    def cpu(self):
        return self

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values)


def draw(words, size):
    return {"plot": Plot(words), "values": [Tensor([float(n) for n in range(size)])]}
"""
FIGURE = '<svg width="90pt" height="60pt">\n<path d="M 1 3 L 30 4" stroke="#1f77b4"/>\n<text x="4">rise</text>\n</svg>'


@pytest.mark.real
async def test_pictures_are_shown_as_svg_and_tensors_with_their_statistics(sandbox):
    program = probe_program(PICTURES, "draw", ["draw('rise', 1000)"], harness_text("showing"))
    (run,) = await sandbox.run_calls(program, PROBE, ["[0]"])
    assert run.outcome == "returned", run
    shown = describe(run.value)
    assert FIGURE in shown and "Plot as SVG" in shown
    assert "Tensor of ndarray(dtype=<f8, shape=(1000,), min=0, max=999, mean=499.5" in shown
    # Without serialisation a picture is what it is to the sandbox: no data.
    (bare,) = await sandbox.run_calls(probe_program(PICTURES, "draw", ["draw('rise', 3)"]), PROBE, ["[0]"])
    assert bare.error_type == "UnportableError"


PLOTTING = """
import sys
import types


class Figure:
    def savefig(self, into, format, metadata):
        into.write('<svg xmlns="http://www.w3.org/2000/svg"><text>drawn</text></svg>')


Figure.__module__ = "matplotlib.figure"
library, pyplot = types.ModuleType("matplotlib"), types.ModuleType("matplotlib.pyplot")
opened = {}


class Settings:
    def __init__(self, values):
        assert values["svg.fonttype"] == "none"

    def __enter__(self):
        return self

    def __exit__(self, *ended):
        return None


library.rc_context = Settings
pyplot.get_fignums = lambda: sorted(opened)
pyplot.figure = opened.__getitem__
pyplot.close = lambda which: opened.clear()
sys.modules.update({"matplotlib": library, "matplotlib.pyplot": pyplot})


def plot(count):
    for number in range(count):
        opened[number] = Figure()
"""


@pytest.mark.real
async def test_what_a_draft_draws_without_returning_it_is_shown_for_its_own_call_alone(sandbox):
    """The library is no part of the sandbox's packages: the draft brings what of it is used."""
    program = probe_program(PLOTTING, "plot", ["plot(1)", "plot(0)", "plot(5)"], harness_text("showing"))
    runs = await sandbox.run_calls(program, PROBE, ["[0]", "[1]", "[2]"])
    shown = [json.loads(run.value)[2:] for run in runs]
    assert [len(figures) for figures in shown] == [1, 0, 2]
    assert "<text>drawn</text>" in describe(runs[0].value) and "svg" not in describe(runs[1].value)


@pytest.mark.real
async def test_arguments_that_cannot_be_made_are_told_from_a_failing_draft(sandbox):
    code = "def io(x):\n    return 1 // x\n"
    program = probe_program(code, "io", ["io(Decimal('1'))", "io(0)", "io(1)"], harness_text("showing"))
    runs = await sandbox.run_calls(program, PROBE, ["[0]", "[1]", "[2]"])
    assert [run.error_type for run in runs] == [f"{UNMADE}NameError", "ZeroDivisionError", ""]
