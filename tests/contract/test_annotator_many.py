"""Lists of labels read what they show, however little of many labels that is."""

import itertools
import json

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from annotator.adapters.labels import SqlLabels, page_of
from annotator.adapters.reviews import SqlReviews
from annotator.app import MIGRATIONS
from annotator.domain.review import Review
from annotator.ports import Wanted
from touchstone_runtime.database import Database

pytestmark = pytest.mark.real
COUNT, PAGE = 20_000, 100
WORDS = "how to do thing number 97 in a few words"


@pytest.fixture
async def database(postgres, load_module):
    found = Database(postgres, "annotator", MIGRATIONS)
    try:
        await found.migrate()
        async with found.session() as session:
            await session.execute(sa.text("truncate labels, label_facets, reviews, adjudications"))
        await load_module("tests/bench/annotation_many.py").fill(found, COUNT)
        yield found
    finally:
        await found.close()


async def plan(database, statement, options="format text"):
    text = str(statement.compile(dialect=postgresql.dialect(), compile_kwargs={"literal_binds": True}))
    async with database.session() as session:
        found = (await session.execute(sa.text(f"explain ({options}) " + text.replace(":", "\\:")))).scalars().all()
    return json.dumps(found[0]) if options.endswith("json") else "\n".join(found)


async def test_a_list_reads_what_it_shows_whatever_it_is_narrowed_by(database):
    """A walk along the newest ones would read all labels for what is rare, or of no rows at all."""
    outcomes = ("", "yes", "no", "undecided")
    deciders = ("", "execution", "person", "nobody")
    read = {}
    for values in itertools.product(outcomes, deciders, ("", "java", "cobol"), (False, True)):
        wanted = Wanted("", *values)
        found = await plan(database, page_of(PAGE, wanted), "analyze, buffers, format json")
        top = json.loads(found)[0]["Plan"]
        assert top["Actual Rows"] <= PAGE and "Seq Scan on labels" not in found
        read[wanted] = top["Shared Hit Blocks"] + top["Shared Read Blocks"]
    assert len(read) == 96
    # A page of 100 rows takes some 500 pages of the database, by index and heap; walking all labels took over 5,000.
    assert max(read.values()) < 1500, max(read, key=read.get)


async def test_a_querys_pairs_stand_together(database):
    found = await plan(database, page_of(PAGE, Wanted(query=WORDS)))
    assert "labels_current_by_words" in found and "Seq Scan" not in found, found
    labels = SqlLabels(database.session)
    found = await labels.newest(PAGE, Wanted(query=WORDS))
    undecided = await labels.newest(PAGE, Wanted(query=WORDS, outcome="undecided"))
    assert len(found) == 20 and undecided == [label for label in found if label.outcome == "undecided"] != []


async def test_kinds_are_counted_as_labels_come_and_go(database):
    counted = "select language, decided_by, coalesce(label, -1), coalesce(audit <> label, false), count(*)"
    counted += " from labels where current group by 1, 2, 3, 4"
    kept = "select language, decided_by, outcome, disputed, labels from label_facets where labels <> 0"
    changes = (
        "update labels set current = false where pair_id < '4'",
        "update labels set label = 1 - label, language = 'go' where pair_id between '4' and '5'",
        "update labels set current = true where pair_id < '2'",
    )
    for change in ("select 1", *changes):
        async with database.session() as session:
            await session.execute(sa.text(change))
        async with database.session() as session:
            one, other = [set(map(tuple, await session.execute(sa.text(each)))) for each in (counted, kept)]
        assert one == other and one, change


async def test_the_queue_is_that_of_its_rules_after_many_opinions(database, load_module):
    await load_module("tests/bench/annotation_many.py").reviewed(database)
    reviews = SqlReviews(database.session)
    told = "select count(*) from labels as l where opinions <> (select count(*) from reviews as r "
    told += "where r.pair_id = l.pair_id)"
    naive = """
        select pair_id from labels as l where current and not on_demand and decided_by <> 'person'
        and not exists (select from reviews as r where r.pair_id = l.pair_id and reviewer = :me)
        and (select count(*) from reviews as r where r.pair_id = l.pair_id) < 2
        order by not exists (select from reviews as r where r.pair_id = l.pair_id),
        coalesce(audit = label, true), label is not null, labelled_at desc limit 1
    """
    async with database.session() as session:
        assert (await session.execute(sa.text(told))).scalar_one() == 0
        assert (await session.execute(sa.text("select count(*) from labels where opinions = 1"))).scalar_one() > 0
    for reviewer in ("alone", "a"):
        async with database.session() as session:
            first = (await session.execute(sa.text(naive), {"me": reviewer})).scalar_one()
            begun = await session.execute(sa.text("select opinions from labels where pair_id = :id"), {"id": first})
            kind = begun.scalars().first()
        found = await reviews.next_pair(reviewer)
        # Among those that others have begun the order is that of the index.
        assert found.pair.pair_id == first or kind == 1, reviewer
        opinions = await reviews.of_pair(found.pair.pair_id)
        assert len(opinions) == kind and reviewer not in {each.reviewer for each in opinions}
    for label in [await reviews.next_pair("a")]:
        await reviews.add(Review(label.pair.pair_id, "a", "no"))
        assert (await reviews.next_pair("a")).pair.pair_id != label.pair.pair_id


async def test_pages_of_every_kind_go_on_where_they_ended_and_leave_nothing_out(database):
    labels = SqlLabels(database.session)
    everything = [label async for label in pages(labels, Wanted(), 1000)]
    assert len(everything) == COUNT == len({label.pair.pair_id for label in everything})
    for wanted in (
        *(Wanted(outcome=outcome) for outcome in ("yes", "no", "undecided")), Wanted(disputed=True),
        Wanted(language="php", outcome="undecided"), Wanted(decided_by="person"), Wanted(language="php", disputed=True),
    ):  # fmt: skip
        found = [label.pair.pair_id async for label in pages(labels, wanted, 70)]
        assert found == [label.pair.pair_id for label in everything if admits(wanted, label)] and found, wanted


def admits(wanted, label):
    return (
        wanted.outcome in ("", label.outcome)
        and wanted.decided_by in ("", label.decided_by)
        and wanted.language in ("", label.pair.language)
        and (not wanted.disputed or (None not in (label.audit, label.label) and label.audit != label.label))
    )


async def pages(labels, wanted, size):
    after = None
    while page := await labels.newest(size, wanted, after):
        for label in page:
            yield label
        after = (page[-1].labelled_at, page[-1].pair.pair_id)
