"""Hand-written fakes of the ports; test modules get them as fixtures."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from annotator.adapters.model import PROMPTS
from annotator.domain.execution import CaseRun, ProgramRun
from annotator.domain.pair import Pair
from annotator.domain.record import Exchange
from annotator.ports import Asked, LabelCounts, Preparation
from touchstone_runtime.llm import load_prompt, parse_json


class ScriptedModel:
    """Gives the answers of a script, prompt by prompt; fills the real prompt files, so that a wrong one fails."""

    def __init__(self, **script):
        self.script = {name: list(answers) for name, answers in script.items()}
        self.asked = []
        self.prompts = {name: load_prompt("annotator", name) for name in PROMPTS}

    def signature(self):
        return "scripted"

    async def ask(self, prompt, form, *, max_tokens, **values):
        messages = self.prompts[prompt].messages(**values)
        assert 0 < max_tokens <= 1000
        self.asked.append((prompt, "\n".join(message.content for message in messages)))
        answers = self.script.get(prompt.removesuffix("_v1"), [])
        assert answers, f"the script has no further answer for {prompt}"
        text = answers.pop(0)
        exchange = Exchange(
            tuple((message.role, message.content) for message in messages),
            text,
            "scripted",
            "stop",
            100,
            20,
            0.001,
            0.5,
        )
        try:
            value, problem = parse_json(text, form), ""
        except ValueError as error:
            value, problem = None, str(error)
        return Asked(value, problem, self.prompts[prompt].version, (exchange,))

    def shown(self, prompt):
        """What was asked with a prompt, the last time."""
        return [text for name, text in self.asked if name == f"{prompt}_v1"][-1]

    @property
    def order(self):
        return [name.removesuffix("_v1") for name, _ in self.asked]


class FakeSandbox:
    """Ends calls and programs as the script says, and remembers what it was given."""

    def __init__(self, calls=(), programs=(), preparations=(), languages=("python",)):
        self.calls = list(calls)
        self.programs = list(programs)
        self.preparations = list(preparations)
        self.languages = languages
        self.called = []
        self.ran = []
        self.prepared = []

    async def speaks(self, language):
        return language in self.languages

    async def call(self, language, source, entry_point, inputs, environment_id):
        if entry_point == "holds" and not self.calls:
            # Checks that are asked about stubs, and hold for none.
            return tuple(CaseRun("returned", "false") for _ in inputs)
        self.called.append((source, entry_point, tuple(inputs), environment_id))
        runs = tuple(self.calls.pop(0))
        assert len(runs) == len(inputs)
        return runs

    async def run(self, language, source, environment_id):
        if (stub := self.stub(source)) is not None:
            return stub
        self.ran.append((source, environment_id))
        ended = self.programs.pop(0)
        marks = re.findall(r"end of tests \w{16}", source) if ended.outcome == "returned" else []
        return replace(ended, stdout=f"{ended.stdout}{''.join(marks)}")

    def stub(self, source):
        """How a program ends that a trial runs: calls of the code are noticed, and no other stub passes."""
        if "raise StubWasCalled" in source:
            return ProgramRun("exited", 1, stderr="StubWasCalled")
        return ProgramRun("exited", 1, stderr="AssertionError") if "(*args, **kwargs)" in source else None

    async def prepare(self, language, requirements):
        self.prepared.append(tuple(requirements))
        return self.preparations.pop(0)


class MemoryLabels:
    """Labels in a dictionary, with the port's rules."""

    def __init__(self):
        self.rows = {}

    async def find(self, pair_id, method_id):
        return self.rows.get((pair_id, method_id))

    async def add(self, label):
        stamped = replace(label, labelled_at=datetime(2025, 1, 1, 0, 0, len(self.rows) % 60, tzinfo=UTC))
        return self.rows.setdefault((label.pair.pair_id, label.method_id), stamped)

    async def newest(self, limit, query="", after=None):
        found = [row for row in self.rows.values() if query in ("", row.pair.query)]
        return sorted(found, key=lambda row: row.labelled_at, reverse=True)[:limit]

    async def counts(self):
        rows = list(self.rows.values())
        return LabelCounts(
            len(rows),
            sum(row.label == 1 for row in rows),
            sum(row.unclear for row in rows),
            sum(row.executed is not None for row in rows),
            sum(row.executed is True for row in rows),
            sum(row.audit is not None and row.audit != row.label for row in rows),
            sum(row.label is None for row in rows),
        )


class MemoryRecords:
    def __init__(self):
        self.blobs = {}

    async def put(self, data):
        digest = hashlib.sha256(data).hexdigest()
        self.blobs[digest] = data
        return digest


class ListAnnouncer:
    def __init__(self):
        self.announced = []
        self.fails = 0

    async def announce(self, label):
        if self.fails:
            self.fails -= 1
            raise ConnectionError("no broker")
        self.announced.append(label)


@pytest.fixture
def scripted():
    return ScriptedModel


@pytest.fixture
def fake_sandbox():
    return FakeSandbox


@pytest.fixture
def labels():
    return MemoryLabels()


@pytest.fixture
def records():
    return MemoryRecords()


@pytest.fixture
def announcer():
    return ListAnnouncer()


@pytest.fixture
def pair():
    """A plain function that answers its query."""
    return Pair(
        "pair-1", "query-1", "reverse a string python", "function-1", "def backwards(text):\n    return text[::-1]"
    )


@pytest.fixture
def method_pair():
    """A method: no plain data can be passed as its first argument."""
    return Pair("pair-2", "query-2", "size of the layers", "function-2", "def size(self):\n    return len(self.layers)")


@pytest.fixture
def returned():
    return lambda *values: tuple(CaseRun("returned", value) for value in values)


@pytest.fixture
def ended():
    """How a program ended."""

    def make(outcome="returned", stderr="", exit_code=0, **more):
        return ProgramRun(outcome, exit_code, stderr=stderr, **more)

    return make


@pytest.fixture
def preparation():
    return Preparation


@pytest.fixture
def by_name():
    """Steps of a record by name."""

    def group(record):
        steps = defaultdict(list)
        for step in record.steps:
            steps[step.name].append(step)
        return steps

    return group
