"""Hand-written fakes of the ports; test modules get them as fixtures."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from annotator.adapters.model import PROMPTS
from annotator.domain.execution import CaseRun, ProgramRun
from annotator.domain.pair import Pair
from annotator.domain.record import Exchange
from annotator.domain.release import PooledCode, PooledLabel, PooledQuery
from annotator.domain.statistics import Effort
from annotator.ports import EVERY, Asked, LabelCounts, Preparation, StoredLabel
from touchstone_contracts import identities
from touchstone_contracts.manifests import canonical, sha256
from touchstone_runtime.llm import load_prompt, parse_json


class ScriptedModel:
    """Gives the answers of a script, prompt by prompt; fills the real prompt files, so that a wrong one fails."""

    def __init__(self, **script):
        self.script = {name: list(answers) for name, answers in script.items()}
        self.asked = []
        self.said = {}
        self.prompts = {name: load_prompt("annotator", name) for name in PROMPTS}

    def signature(self):
        return "scripted"

    async def ask(self, prompt, form, *, max_tokens, **values):
        turns = tuple((turn.role, turn.content) for turn in self.prompts[prompt].messages(**values))
        assert 0 < max_tokens <= 1000
        if (text := self.doubted(prompt, **values)) is None:
            self.asked.append((prompt, "\n".join(content for _, content in turns)))
            answers = self.script.get(prompt.removesuffix("_v1"), [])
            assert answers, f"the script has no further answer for {prompt}"
            self.said[prompt] = text = answers.pop(0)
        exchange = Exchange(turns, text, "scripted", "stop", 100, 20, 0.001, 0.5)
        try:
            value, problem = parse_json(text, form), ""
        except ValueError as error:
            value, problem = None, str(error)
        return Asked(value, problem, self.prompts[prompt].version, (exchange,))

    def doubted(self, prompt, query="", code="", **values):
        """What a judge says who is asked again: the same without words, and what is right where that is known."""
        other, wish = re.search(r"\* ?\$?number \+ 7", code), query.startswith("twice a number")
        if prompt == "cases_v1" and other:
            return '{"interpretation": "", "cases": []}'
        if prompt not in ("single_v1", "screener_v1", "arbiter_v1"):
            return None
        if other or wish:
            label = int(bool(other and wish))
            return json.dumps({"reason": "", "label": label, "verdict": ("no_match", "match")[label]})
        return self.said[prompt] if "stand for the author's own" in code else None

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
        self.called, self.ran, self.prepared, self.lines, self.terminals, self.commands = [], [], [], [], [], {}

    async def speaks(self, language):
        return language in self.languages

    async def call(self, language, source, entry_point, inputs, environment_id, nothing_returned=False):
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
        if "(*args, **kwargs)" not in source:
            return None
        return ProgramRun("exited", 1, stderr="AssertionError\n\nStubGaveAnother\n")

    async def prepare(self, language, requirements):
        self.prepared.append(tuple(requirements))
        return self.preparations.pop(0)

    @asynccontextmanager
    async def terminal(self, language, files, environment_id):
        terminal = FakeTerminal(files, self.commands, self.lines)
        self.terminals.append((terminal, environment_id))
        yield terminal


class FakeTerminal:
    """Files, and for each command how it ends and what it writes."""

    def __init__(self, files, commands, ran):
        self.files = dict(files)
        self.commands = commands
        self.ran = ran

    async def command(self, line):
        self.ran.append(line)
        ended, written = self.commands[line]
        self.files |= written
        return ended

    async def write(self, path, text):
        self.files[path] = text

    async def read(self, path):
        return self.files.get(path)


class MemoryLabels:
    """Labels in a dictionary, with the port's rules."""

    def __init__(self):
        self.rows = {}
        self.unsaid = []
        self.retired = set()

    async def find(self, pair_id, method_id):
        return self.rows.get((pair_id, method_id))

    async def add(self, label):
        key = (label.pair.pair_id, label.method_id)
        if key not in self.rows:
            pair = replace(label.pair, joined=False)
            stamped = replace(label, pair=pair, labelled_at=datetime(2025, 1, 1, 0, 0, len(self.rows) % 60, tzinfo=UTC))
            self.rows[key] = stamped
            self.retired.discard(label.pair.pair_id)
            if not label.pair.on_demand:
                self.unsaid.append(key)
        return self.rows[key]

    async def reinstate(self, pair_id, method_id):
        key = (pair_id, method_id)
        before = self.current().get(pair_id)
        if key not in self.rows or before in (None, self.rows[key]) or rank_of(before) > rank_of(self.rows[key]):
            return self.rows.get(key)
        label = self.rows.pop(key)
        return await self.add(label)

    async def unannounced(self, limit):
        return list(dict.fromkeys(pair_id for pair_id, _ in sorted(self.unsaid)))[:limit]

    async def unannounced_methods(self, pair_id):
        return sorted(method for named, method in self.unsaid if named == pair_id)

    async def announced(self, pair_id, methods):
        self.unsaid = [key for key in self.unsaid if key[0] != pair_id or key[1] not in methods]

    def current(self):
        """The current label of each pair."""
        found = {}
        for row in self.rows.values():
            before = found.get(row.pair.pair_id)
            rank = rank_of(row)
            if before is None or rank >= rank_of(before):
                found[row.pair.pair_id] = row
        return {pair_id: row for pair_id, row in found.items() if pair_id not in self.retired}

    async def newest(self, limit, wanted=EVERY, after=None):
        found = [
            row
            for row in self.current().values()
            if wanted.query in ("", row.pair.query)
            and wanted.outcome in ("", row.outcome)
            and wanted.decided_by in ("", row.decided_by)
            and wanted.language in ("", row.pair.language)
            and (not wanted.disputed or (None not in (row.audit, row.label) and row.audit != row.label))
            and (after is None or (row.labelled_at, -1) < (after[0], 0))
        ]
        return sorted(found, key=lambda row: row.labelled_at, reverse=True)[:limit]

    async def of_pair(self, identifier):
        current = self.current()
        found = [row for row in self.rows.values() if row.pair.pair_id.startswith(identifier)]
        newest = sorted(found, key=lambda row: row.labelled_at, reverse=True)
        return sorted(newest, key=lambda row: (row.pair.pair_id, row is not current.get(row.pair.pair_id)))

    async def code_of(self, function_id):
        pairs = [row.pair for row in self.current().values() if row.pair.function_id == function_id]
        return next((pair for pair in pairs if not pair.on_demand), None)

    async def same_texts(self, pair):
        found = [row for row in self.current().values() if texts_of(row.pair) == texts_of(pair)]
        return sorted(found, key=lambda row: row.pair.pair_id)

    async def retire(self, pair_id):
        self.retired.add(pair_id)

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


def rank_of(row):
    return (row.decided_by == "person") + row.method_id.startswith("person-review")


def texts_of(pair):
    return pair.query, identities.code_words(pair.code), pair.language


class MemoryRecords:
    """Blobs by digest; `get` gives what lies there, as `Portions` has it."""

    def __init__(self):
        self.blobs = {}

    async def get(self, digest):
        return self.blobs.get(digest)

    def place(self, digest):
        return f"blob {digest[:8]}"

    async def put(self, data):
        digest = hashlib.sha256(data).hexdigest()
        self.blobs.setdefault(digest, data)  # What lies there stays, sound or not, as in the real store.
        return digest


class MemoryReleases:
    """Releases in a dictionary, with the port's rules."""

    def __init__(self):
        self.rows = {}

    async def save(self, row):
        new = row.name not in self.rows
        return self.rows.setdefault(row.name, replace(row, created_at=f"2026-01-01T00:00:{len(self.rows):02}")), new

    async def find(self, name):
        return self.rows.get(name)

    async def all(self):
        return list(self.rows.values())


class MemoryPool:
    """The current labels of a list of stored labels; the last of a pair is the current one."""

    def __init__(self, labels):
        self.labels = labels

    @asynccontextmanager
    async def freeze(self, selection):
        current = {label.pair.pair_id: label for label in self.labels}
        proposed = [label for label in current.values() if not label.pair.on_demand]
        known = {label.pair.function_id: set() for label in proposed}
        for label in proposed:
            known[label.pair.function_id] |= {label.pair.licence} - {""}
        licences = {code: one.pop() if len(one) == 1 else "" for code, one in known.items()}
        offered = [
            label
            for label in sorted(proposed, key=lambda label: (label.pair.query_id, label.pair.pair_id))
            if (not selection.languages or label.pair.language in selection.languages)
            and (not selection.licences or licences[label.pair.function_id] in selection.licences)
        ]
        taken = [label for label in offered if not selection.decided_by or label.decided_by in selection.decided_by]
        yield FrozenLabels(taken, offered, licences)


class FrozenLabels:
    def __init__(self, taken, offered, licences):
        self.held = taken
        queries, codes = ({getattr(label.pair, name) for label in taken} for name in ("query_id", "function_id"))
        self.told = [row for row in offered if row.pair.query_id in queries and row.pair.function_id in codes]
        self.licences = licences

    async def queries(self):
        for query_id, text in {label.pair.query_id: label.pair.query for label in self.held}.items():
            yield PooledQuery(query_id, text)

    async def codes(self):
        pairs = {label.pair.function_id: label.pair for label in self.held}
        names = [name for name in PooledCode.__dataclass_fields__ if name != "licence"]
        for identifier, pair in sorted(pairs.items()):
            yield PooledCode(*(getattr(pair, name) for name in names), licence=self.licences[identifier] or None)

    async def same_text(self):
        texts = {
            label.pair.function_id: identities.code_id(label.pair.code, label.pair.language) for label in self.held
        }
        several = Counter(texts.values())
        return {function_id: text for function_id, text in texts.items() if several[text] > 1}

    async def labels(self):
        for label in self.told:
            own = [name for name in PooledLabel.__dataclass_fields__ if not hasattr(label.pair, name)]
            of_pair = {name: getattr(label.pair, name) for name in ("query_id", "pair_id", "function_id")}
            yield PooledLabel(**of_pair, **{name: getattr(label, name) for name in own})


def beside(name):
    """The module of this name in this folder: tests import nothing from one another."""
    spec = spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MemoryReviews = beside("memory_reviews").MemoryReviews


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


@pytest.fixture(scope="session")
def memory_waiting():
    return beside("memory_waiting").MemoryWaiting


@pytest.fixture(scope="session")
def memory_labels():
    return MemoryLabels


@pytest.fixture
def records():
    return MemoryRecords()


@pytest.fixture
def releases():
    return MemoryReleases()


@pytest.fixture
def reviews(labels):
    return MemoryReviews(labels)


@pytest.fixture
def memory_pool():
    return MemoryPool


def judged(query, code, label, *, records=None, method="full-1", **more):
    """A stored label of a query and a code by their words, with its record where there is a place for it."""
    query_id = identities.query_id(query)
    function_id = more.pop("function_id", "") or identities.code_id(code, more.get("language", "python"))
    of_pair = {name: more.pop(name) for name in ("language", "licence", "on_demand", "repository") if name in more}
    pair = Pair(identities.pair_id(query_id, function_id), query_id, query, function_id, code, name="f", **of_pair)
    by = more.pop("decided_by", "default" if label is None else "screener")
    given = {
        "reason": "it says so", "unclear": False, "self_reported": False, "executed": None, "assertions": 0,
        "audit": None, "steps": (), "effort": Effort(10, 5, 0.001, 0.5), "calls": 1, **more,
    }  # fmt: skip
    told = {name: given[name] for name in ("reason", "self_reported", "audit", "score", "reading") if name in given}
    data = canonical({**told, "pair": asdict(pair), "label": label, "decided_by": by, "method_id": method})
    if records is not None:
        records.blobs[sha256(data)] = data
    return StoredLabel(pair, method, label, **{"decided_by": by, "record_digest": sha256(data), **given})


@pytest.fixture(name="judged")
def judged_fixture(records):
    return partial(judged, records=records)


@pytest.fixture
def announcer():
    return ListAnnouncer()


@pytest.fixture
def pair():
    """A plain function that answers its query."""
    code = "def backwards(text):\n    return text[::-1]"
    return Pair("pair-1", "query-1", "reverse a string python", "function-1", code)


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
    return lambda record: {
        step.name: [other for other in record.steps if other.name == step.name] for step in record.steps
    }
