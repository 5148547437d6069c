"""The annotator on real servers: labels in PostgreSQL, pairs over Kafka, and a model endpoint that is scripted."""

import asyncio
import json
import socket
import subprocess
import sys
import uuid
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from aiokafka import AIOKafkaConsumer

from annotator.adapters.announcer import BusAnnouncer, event_of
from annotator.adapters.labels import SqlLabels
from annotator.adapters.waiting import SqlWaiting
from annotator.app import MIGRATIONS
from annotator.domain.method import ABLATIONS
from annotator.domain.pair import Pair
from annotator.domain.record import Exchange
from annotator.domain.statistics import Effort
from annotator.domain.training import training_lines
from annotator.handlers import take_proposed
from annotator.ports import Asked, StepSummary, StoredLabel, Wanted
from annotator.usecases.announcing import announce_waiting
from annotator.usecases.importing import GivenLabel, LabelImport
from annotator.usecases.judging import Judge
from annotator.usecases.labelling import Labelling
from annotator.usecases.people import agree
from annotator.usecases.waiting import PoolWork
from touchstone_contracts import identities
from touchstone_contracts.events import Function, PairLabelled, PairProposed, SourceRef
from touchstone_contracts.topics import PAIR_LABELLED, PAIR_PROPOSED
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.bus import Bus
from touchstone_runtime.database import Database
from touchstone_runtime.errors import RetryableError
from touchstone_runtime.llm import LedgerEntry, LlmUsage, SqlLedger
from touchstone_runtime.retry import RetryPolicy
from touchstone_runtime.settings import ServiceSettings

pytestmark = pytest.mark.real

# Of the first version's table.
_COLUMNS = (
    "pair_id, method_id, query_id, query, function_id, code, language, name, repository, version, path, "
    "qualname, on_demand, label, reason, decided_by, unclear, self_reported, assertions, record_digest, "
    "steps, tokens_in, tokens_out, seconds, cost_usd, calls"
)


@pytest.fixture
async def database(postgres):
    made = Database(postgres, "annotator", MIGRATIONS)
    await made.migrate()
    await made.migrate()
    yield made
    async with made.engine.begin() as connection:
        await connection.exec_driver_sql("DROP SCHEMA annotator CASCADE")
    await made.close()


@pytest.fixture
def stored():
    imports = {"imports": ("import re",), "file_imports": ("from a import (\n    b,\n)", "import re")}
    code = "def rev(x): ..."
    pair = Pair("p1", "q1", "reverse a string", "f1", code, name="rev", repository="boltons", path="a.py", **imports)
    step = StepSummary("screener", "match", "it does", "small", 10, 5, 0.5, 0.001)
    return StoredLabel(
        pair=pair,
        method_id="full-1",
        label=1,
        reason="it does",
        decided_by="screener",
        unclear=False,
        self_reported=False,
        executed=None,
        assertions=0,
        audit=None,
        record_digest="d" * 64,
        steps=(step,),
        effort=Effort(10, 5, 0.001, 0.5),
        calls=1,
    )


async def test_labels_come_back_as_they_went(database, stored):
    labels = SqlLabels(database.session)
    assert await labels.find("p1", "full-1") is None
    added = await labels.add(stored)
    assert replace(added, labelled_at=None) == stored and added.labelled_at.tzinfo is not None
    assert await labels.find("p1", "full-1") == added
    assert event_of(await labels.find("p1", "full-1")) == event_of(added)


async def test_the_first_label_wins(database, stored):
    labels = SqlLabels(database.session)
    first = await labels.add(stored)
    assert await labels.add(replace(stored, label=0, reason="other")) == first


async def test_newest_label_of_each_pair(database, stored):
    labels = SqlLabels(database.session)
    await labels.add(stored)
    await labels.add(replace(stored, method_id="full-2", label=0))
    other = replace(
        stored, pair=replace(stored.pair, pair_id="p0", query="other"), audit=0, unclear=True, executed=True
    )
    await labels.add(other)
    assert [(label.pair.pair_id, label.method_id) for label in await labels.newest(10)] == [
        ("p0", "full-1"), ("p1", "full-2"),
    ]  # fmt: skip
    assert [label.pair.pair_id for label in await labels.newest(10, Wanted("other"))] == ["p0"]
    assert len(await labels.newest(1)) == 1
    counts = await labels.counts()
    assert (counts.labelled, counts.matching, counts.unclear, counts.tested, counts.disputed) == (2, 1, 1, 1, 1)


async def test_a_label_stands_again_where_its_method_is_put_back(database, stored):
    labels = SqlLabels(database.session)
    first = await labels.add(stored)
    assert await labels.reinstate("p1", "full-1") == first, "it stands already"
    await labels.add(replace(stored, method_id="full-2", label=0))
    await labels.announced("p1", ["full-1", "full-2"])
    again = await labels.reinstate("p1", "full-1")
    assert replace(again, labelled_at=first.labelled_at) == first and again.labelled_at > first.labelled_at
    assert await labels.newest(10) == [again] and await labels.unannounced_methods("p1") == ["full-1"]
    assert await labels.reinstate("p1", "full-3") is None and (await labels.counts()).matching == 1
    await labels.add(replace(stored, method_id="person-review", decided_by="person", label=0))
    assert await labels.reinstate("p1", "full-1") == again, "no method's label outranks people's"
    assert [label.method_id for label in await labels.newest(10)] == ["person-review"]
    await labels.retire("p1")
    assert await labels.reinstate("p1", "full-1") == again and await labels.newest(10) == []


async def test_any_text_can_be_stored(database, stored):
    labels = SqlLabels(database.session)
    odd = replace(stored, reason="nul \0 half \ud800 ü", pair=replace(stored.pair, code="x\0y"))
    assert (await labels.add(odd)).pair.code == "x\ufffdy"


async def test_training_data_leaves_out_the_undecided(database, stored):
    labels = SqlLabels(database.session)
    for number in range(7):
        pair = replace(stored.pair, pair_id=f"p{number}", code=f"code {number}")
        undecided = {"decided_by": "default", "label": None} if number == 3 else {}
        await labels.add(replace(stored, pair=pair, **undecided))
    assert [row.code[-1] async for row in labels.training()] == ["0", "1", "2", "4", "5", "6"]
    assert (await labels.find("p3", "full-1")).outcome == "undecided" and (await labels.counts()).undecided == 1


SAME_TEXT = {
    "methods that disagree": ([(0, "screener"), (1, "execution"), (1, "screener")], []),
    "methods that agree": ([(1, "screener"), (1, "execution")], [1]),
    "people's word holds": ([(0, "screener"), (1, "person"), (1, "screener")], [1]),
    "one that is undecided says nothing": ([(1, "screener"), (None, "default")], [1]),
}


@pytest.mark.parametrize(("said", "told"), SAME_TEXT.values(), ids=SAME_TEXT.keys())
async def test_training_data_has_no_contradicting_labels_of_one_text(database, stored, said, told):
    """As a release, which tells none of them (`contradicted`)."""
    labels = SqlLabels(database.session)

    async def add(number, label, by="screener", **of_pair):
        pair = replace(stored.pair, pair_id=f"p{number}", function_id=f"f{number}", **of_pair)
        await labels.add(replace(stored, pair=pair, label=label, decided_by=by))

    # Of other words, or of another text, it is no contradiction.
    await add(7, 0, query="another", query_id="q2")
    await add(8, 0, code="def rev(y): ...")
    for number, (label, by) in enumerate(said):
        # White space at the ends is no part of a text, see `identities.code_id`.
        await add(number, label, by, code=stored.pair.code + "\n" * number)
    found = [json.loads(line) async for line in training_lines(labels.training())]
    by_text = {(row["query"], row["code"].strip()): set() for row in found}
    for row in found:
        by_text[row["query"], row["code"].strip()].add(row["label"])
    others = {("another", stored.pair.code): {0}, (stored.pair.query, "def rev(y): ..."): {0}}
    assert by_text == others | ({(stored.pair.query, stored.pair.code): set(told)} if told else {})


async def test_what_is_asked_for_on_demand_is_no_training_data_and_withholds_none(database, stored):
    labels = SqlLabels(database.session)
    await labels.add(stored)
    for number, (query, label) in enumerate([(stored.pair.query, 0), ("somebody's own", 1)]):
        pair = replace(stored.pair, pair_id=f"d{number}", function_id=f"d{number}", query=query, on_demand=True)
        await labels.add(replace(stored, pair=pair, label=label))
    assert [(row.query, row.label) async for row in labels.training()] == [(stored.pair.query, stored.label)]


async def test_a_persons_label_outranks_and_nothing_is_overwritten(database, stored):
    labels = SqlLabels(database.session)
    await labels.add(stored)
    await labels.add(replace(stored, method_id="person-1", decided_by="person", label=0))
    await labels.add(replace(stored, method_id="full-2", label=1))
    (current,) = await labels.newest(10)
    assert (current.method_id, current.label) == ("person-1", 0)
    await labels.add(replace(stored, method_id="person-2", decided_by="person", label=1))
    (current,) = await labels.newest(10)
    assert (current.method_id, (await labels.counts()).labelled, (await labels.counts()).matching) == ("person-2", 1, 1)
    for method, label in (("full-1", 1), ("person-1", 0), ("full-2", 1)):
        assert (await labels.find("p1", method)).label == label


async def test_what_no_broker_took_is_announced_when_one_is_back(kafka, database, tmp_path):
    """A broker that is away, people's word meanwhile, and another process that finds it there."""
    pool, labels = f"away-{uuid.uuid4().hex[:8]}", SqlLabels(database.session)
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        away = Bus(ServiceSettings(kafka_bootstrap=f"127.0.0.1:{nobody.getsockname()[1]}"), pool)
        given = GivenLabel(f"add one {pool}", "def f(x):\n    return x + 1", 1)
        records = BlobStore(f"file://{tmp_path}/blobs")
        bring = LabelImport(labels, records, BusAnnouncer(away))
        with pytest.raises(RetryableError):
            await asyncio.wait_for(bring("mine", [given]), 60)
        await away.stop()
    [pair_id] = await labels.unannounced(9)
    bus = Bus(ServiceSettings(kafka_bootstrap=kafka), pool)
    await bus.start()
    consumer = AIOKafkaConsumer(PAIR_LABELLED.name, bootstrap_servers=kafka, auto_offset_reset="earliest")
    await consumer.start()
    try:
        await announce_waiting(labels, records, BusAnnouncer(bus))
        async with asyncio.timeout(60):
            while True:
                event = PairLabelled.model_validate_json((await consumer.getone()).value)
                if event.pair_id == pair_id:
                    break
    finally:
        await consumer.stop()
        await bus.stop()
    assert (event.label, event.decided_by) == (1, "person") and await labels.unannounced(9) == []


async def test_lists_go_on_where_they_ended(database, stored):
    labels = SqlLabels(database.session)
    for number in range(7):
        await labels.add(replace(stored, pair=replace(stored.pair, pair_id=f"p{number}")))
    seen, after = [], None
    while page := await labels.newest(3, Wanted("reverse a string"), after):
        seen += [label.pair.pair_id for label in page]
        after = (page[-1].labelled_at, page[-1].pair.pair_id)
    assert seen == [f"p{number}" for number in reversed(range(7))]


async def test_lists_show_what_is_asked_for(database, stored):
    labels = SqlLabels(database.session)
    rows = [
        {"decided_by": "person"}, {"label": 0, "audit": 1}, {"label": None, "audit": 1}, {"label": 0, "audit": 0},
    ]  # fmt: skip
    for number, row in enumerate(rows):
        language = "go" if number == 2 else "python"
        await labels.add(replace(stored, pair=replace(stored.pair, pair_id=f"p{number}", language=language), **row))
    for wanted, found in (
        (Wanted(outcome="yes"), ["p0"]), (Wanted(outcome="no"), ["p3", "p1"]), (Wanted(outcome="undecided"), ["p2"]),
        (Wanted(decided_by="person"), ["p0"]), (Wanted(language="go"), ["p2"]), (Wanted(disputed=True), ["p1"]),
        (Wanted(outcome="no", language="go"), []),
    ):  # fmt: skip
        assert [label.pair.pair_id for label in await labels.newest(9, wanted)] == found


async def test_a_pair_is_found_by_how_its_id_begins(database, stored):
    labels = SqlLabels(database.session)
    for identifier in ("abcd01", "abcd02", "abce03"):
        await labels.add(replace(stored, pair=replace(stored.pair, pair_id=identifier)))
    await labels.add(
        replace(stored, method_id="person-1", decided_by="person", pair=replace(stored.pair, pair_id="abce03"))
    )
    await labels.add(replace(stored, method_id="full-2", pair=replace(stored.pair, pair_id="abce03")))
    assert {label.pair.pair_id for label in await labels.of_pair("abcd")} == {"abcd01", "abcd02"}
    assert [label.method_id for label in await labels.of_pair("abce")] == ["person-1", "full-2", "full-1"]
    assert await labels.of_pair("abc") == await labels.of_pair("zz\0") == []


async def test_a_code_is_known_by_its_function_where_a_pool_holds_it(database, stored):
    labels = SqlLabels(database.session)
    await labels.add(replace(stored, pair=replace(stored.pair, on_demand=True)))
    assert await labels.code_of("f1") is None
    await labels.add(replace(stored, pair=replace(stored.pair, pair_id="p2", licence="MIT")))
    assert (await labels.code_of("f1")).licence == "MIT" and await labels.code_of("f2") is None
    # What was stored before imports were kept, or by people, knows none.
    await labels.add(replace(stored, pair=replace(stored.pair, pair_id="p0", imports=(), file_imports=())))
    assert (await labels.code_of("f1")).file_imports == stored.pair.file_imports


async def test_a_pair_is_known_by_its_texts(database, stored):
    labels, pair = SqlLabels(database.session), replace(stored.pair, pair_id="brought", function_id="by-text")
    assert await labels.same_texts(pair) == []
    added = [await labels.add(replace(stored, pair=replace(pair, on_demand=True))), await labels.add(stored)]
    more = replace(stored, pair=replace(pair, pair_id="people's", code=f"\n\t{pair.code} \r\n"), decided_by="person")
    added.append(await labels.add(more))
    assert await labels.same_texts(replace(pair, pair_id="other", code=f"{pair.code}\n")) == [
        added[0], added[1], added[2],
    ]  # fmt: skip
    for other in ({"query": "another"}, {"code": "another\0"}, {"code": "def rev(x):..."}, {"language": "php"}):
        assert await labels.same_texts(replace(pair, **other)) == []
    await labels.retire("p1")
    assert [each.pair.pair_id for each in await labels.same_texts(pair)] == ["brought", "people's"]
    assert (await labels.counts()).labelled == 2 and len(await labels.of_pair("p1")) == 1
    await labels.add(replace(stored, method_id="full-2"))
    assert [each.method_id for each in await labels.of_pair("p1")] == ["full-2", "full-1"]
    assert len(await labels.same_texts(pair)) == 3


async def test_people_have_one_word_of_a_query_and_a_code(database, stored, tmp_path):
    """Two pairs of pools and one that came by its text: reviewers' word of one outranks what is brought at each."""
    labels, records = SqlLabels(database.session), BlobStore(f"file://{tmp_path}/blobs")
    brought, other = replace(stored.pair, pair_id="t"), replace(stored.pair, pair_id="p2", function_id="f2")
    brought = replace(brought, function_id=identities.code_id(f"{stored.pair.code}\n", "python"))
    for each in (stored, replace(stored, pair=other)):
        await labels.add(each)
    for method, label in (("person-1", 1), ("person-review", 0)):
        pair = brought if label else other
        await labels.add(replace(stored, pair=pair, method_id=method, label=label, decided_by="person"))
        changed = await agree(labels, records, pair)
        assert changed == (["p1", "p2"] if label else ["p1"]), "what came by its text has given its place to the pools'"
        assert {row.pair.pair_id: row.label for row in await labels.newest(9)} == {"p1": label, "p2": label}
    await labels.add(replace(stored, method_id="person-2", label=1, decided_by="person"))
    assert (await labels.of_pair("p1"))[0].method_id == "person-review-p2" and not await agree(labels, records, other)


async def test_siblings_answer_other_queries(database, stored):
    labels = SqlLabels(database.session)
    others = [
        ("p2", "q2", "f2", "python"),
        ("p3", "q1", "f3", "python"),
        ("p4", "q3", "f1", "python"),
        ("p5", "q4", "f5", "go"),
    ]
    for pair_id, query_id, function_id, language in others:
        ids = {"pair_id": pair_id, "query_id": query_id, "function_id": function_id}
        pair = replace(stored.pair, query=f"query {query_id}", language=language, **ids)
        await labels.add(replace(stored, pair=pair))
    assert [pair.pair_id for pair in await labels.siblings(stored.pair, 5)] == ["p2"]
    # Neither is a code that somebody asked about on demand, nor one of the same question in other signs.
    for number, changes in enumerate(
        ({"on_demand": True}, {"query": "Reverse a STRING?"}, {"query": "a string, read"})
    ):
        pair = replace(stored.pair, pair_id=f"o{number}", query_id=f"o{number}", function_id=f"o{number}", **changes)
        await labels.add(replace(stored, pair=pair))
    assert [pair.pair_id for pair in await labels.siblings(stored.pair, 9)] == ["p2", "o2"]


async def test_labels_of_before_keep_their_meaning(postgres):
    database = Database(postgres, "annotator_before", MIGRATIONS)
    try:
        await database.migrate("0001")
        async with database.engine.begin() as connection:
            for pair, method, by in (("a", "m1", "arbiter"), ("a", "m2", "default"), ("b", "m1", "screener")):
                await connection.exec_driver_sql(
                    f"insert into labels ({_COLUMNS}) values ('{pair}', '{method}', 'q', 'q', 'f', 'c', 'python', '', "
                    f"'', '', '', '', false, 0, '', '{by}', false, false, 0, '', '[]', 0, 0, 0, 0, 0)"
                )
        await database.migrate()
        labels = SqlLabels(database.session)
        assert [(await labels.find(*key)).outcome for key in (("a", "m1"), ("a", "m2"), ("b", "m1"))] == [
            "no", "undecided", "no",
        ]  # fmt: skip
        counts = await labels.counts()
        assert counts.labelled == len(await labels.newest(9)) == 2
    finally:
        async with database.engine.begin() as connection:
            await connection.exec_driver_sql("DROP SCHEMA annotator_before CASCADE")
        await database.close()


async def test_what_people_said_of_a_pair_on_demand_is_in_the_pools_since(postgres, stored):
    database = Database(postgres, "annotator_asked", MIGRATIONS)
    try:
        await database.migrate("0014")
        async with database.engine.begin() as connection:
            for pair, by in (("a", "person"), ("a", "screener"), ("b", "screener")):
                await connection.exec_driver_sql(
                    f"insert into labels ({_COLUMNS}, current) values ('{pair}', '{by}-1', 'q', 'q', 'f', 'c', "
                    f"'python', '', '', '', '', '', true, 0, '', '{by}', false, false, 0, '', '[]', 0, 0, 0, 0, 0, "
                    f"{by == 'person' or pair == 'b'})"
                )
        await database.migrate()
        labels = SqlLabels(database.session)
        assert {label.pair.pair_id: label.pair.on_demand for label in await labels.newest(9)} == {"a": False, "b": True}
        assert await labels.unannounced(9) == ["a"] and (await labels.counts()).labelled == 2
    finally:
        async with database.engine.begin() as connection:
            await connection.exec_driver_sql("DROP SCHEMA annotator_asked CASCADE")
        await database.close()


async def test_export_command(database, postgres, stored, tmp_path):
    await SqlLabels(database.session).add(stored)
    out = tmp_path / "labels.jsonl"
    command = [sys.executable, "-m", "annotator", "export", "--out", str(out)]
    environment = {"TOUCHSTONE_DATABASE_URL": postgres, "PATH": "/usr/bin:/bin"}
    done = await asyncio.to_thread(
        subprocess.run, command, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert [json.loads(line) for line in out.read_text().splitlines()] == [
        {"query": "reverse a string", "code": "def rev(x): ...", "label": 1}
    ]


async def test_the_ledger_has_its_table(database):
    ledger = SqlLedger(database.session)
    await ledger.record(
        LedgerEntry("k" * 64, "annotator.screener_v1", "small", LlmUsage(10, 5, 0.5, 0.1, 1), cached=False)
    )
    assert (await ledger.spent()).tokens_in == 10


class Model:
    """Finds every pair clear, and counts; where a code is shown that surely does something else it can say no."""

    def __init__(self):
        self.asked = 0

    def signature(self):
        return "fixed"

    async def ask(self, prompt, form, *, max_tokens, **values):
        other = "2 * number + 7" in values["code"]
        self.asked += not other
        answer = form.model_validate(
            {"reason": "clear", "verdict": "no_match" if other else "match", "label": int(not other)}
        )
        return Asked(answer, "", prompt, (Exchange((("user", values["query"]),), "{}", "fixed", tokens_in=7),))


async def test_pairs_over_kafka_are_labelled_once(kafka, database, tmp_path):
    mark = uuid.uuid4().hex[:8]
    settings = ServiceSettings(kafka_bootstrap=kafka, retry_backoff_s=0.01)
    bus, model = Bus(settings, f"annotator-{mark}"), Model()
    blobs = BlobStore(f"file://{tmp_path}/blobs")
    judge = Judge(model, None, ABLATIONS["full"])
    labelling = Labelling(judge, SqlLabels(database.session), blobs, BusAnnouncer(bus))
    work = PoolWork(labelling, SqlWaiting(database.session), RetryPolicy(1))
    bus.consume(PAIR_PROPOSED, take_proposed(work))
    await bus.start()
    workers = [asyncio.create_task(work.work()) for _ in range(2)]
    consumer = AIOKafkaConsumer(PAIR_LABELLED.name, bootstrap_servers=kafka, auto_offset_reset="earliest")
    await consumer.start()
    source = SourceRef(source_id="s", source_version_id="v", kind="package", name="boltons", version="1")
    function = Function(
        function_id="f", source=source, path="a.py", qualname="rev", name="rev", line_start=1, line_end=2,
        code="def rev(x):\n    return x[::-1]", changed_at=datetime(2025, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    pairs = [
        PairProposed(pair_id=f"{mark}-{n % 5}", query_id="q", query="reverse", function=function, rank=1, score=0.5)
        for n in range(10)
    ]
    try:
        await bus.publish_all(PAIR_PROPOSED, pairs[:5])
        seen = []
        async with asyncio.timeout(300):
            while len(seen) < 10:
                if len(seen) == 5:
                    await bus.publish_all(PAIR_PROPOSED, pairs[5:])
                message = await consumer.getone()
                event = PairLabelled.model_validate_json(message.value)
                if event.pair_id.startswith(mark):
                    seen.append(event)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
        await consumer.stop()
        await bus.stop()
    assert model.asked == 15, "five pairs, each read with and without words, and checked; a repeated pair asks nobody"
    assert len({event.pair_id for event in seen}) == 5
    assert len({event.model_dump_json(exclude={"trace_id"}) for event in seen}) == 5, "a replay says the same"
    stored = {label.pair.pair_id: label for label in await SqlLabels(database.session).newest(10)}
    for event in seen:
        for name in ("decided_by", "executed", "score", "method_id", "audit", "reading"):
            assert getattr(event, name) == getattr(stored[event.pair_id], name)
        assert (event.decided_by, event.audit) == ("screener", 1) and event.method_id
    record = json.loads(await blobs.get(seen[0].record_digest))
    assert record["format"] == "touchstone.annotation.v2" and record["label"] == 1
