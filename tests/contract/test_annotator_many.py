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
            await session.execute(
                sa.text(
                    "truncate labels, label_facets, reviews, adjudications, opinion_pairs, disputes, review_outcomes"
                )
            )
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


# What is kept of reviews, and the same made of all of them.
KEPT = {
    "select one, other, pairs from opinion_pairs where pairs <> 0": """
        select one.opinion, other.opinion, count(*) from reviews as one join reviews as other
        on one.pair_id = other.pair_id and one.reviewer < other.reviewer group by 1, 2
    """,
    "select pair_id, first, second from disputes": """
        select one.pair_id, one.reviewer, other.reviewer from reviews as one join reviews as other
        on one.pair_id = other.pair_id and one.reviewer < other.reviewer where one.opinion <> other.opinion
        and not exists (select from adjudications as a where a.pair_id = one.pair_id)
    """,
    "select label, before, pairs from review_outcomes where pairs <> 0": """
        select coalesce(label, -1), coalesce((
            select label from labels as m where m.pair_id = l.pair_id and m.decided_by <> 'person'
            order by labelled_at desc, method_id limit 1
        ), -1), count(*) from labels as l where method_id = 'person-review' group by 1, 2
    """,
}


async def test_what_is_kept_of_reviews_is_what_all_of_them_come_to(database, load_module):
    again = (
        "create temporary table more as select * from labels where pair_id in "
        "(select pair_id from labels where method_id = 'person-review') and decided_by <> 'person'",
        "update more set method_id = 'full-2', label = case when label = 1 then null else 1 end, current = false, "
        "labelled_at = labelled_at + case when pair_id < '8' then interval '1 day' else interval '-1 day' end",
    )
    steps = (
        "select 1",
        # A method says something else of pairs that people have decided, sometimes later, sometimes of before.
        *again,
        "insert into labels select * from more",
        "insert into reviews (pair_id, reviewer, opinion, note) select pair_id, 'late', 'cannot_tell', '' "
        "from reviews where reviewer = 'alone' limit 100",
        "insert into adjudications (pair_id, reviewer, opinion, note) "
        "select pair_id, 'c', 'yes', '' from disputes limit 50",
    )
    await load_module("tests/bench/annotation_many.py").reviewed(database)
    async with database.session() as session:
        for step in steps:
            await session.execute(sa.text(step))
            for kept, made in KEPT.items():
                one, other = [set(map(tuple, await session.execute(sa.text(each)))) for each in (kept, made)]
                assert one == other and (one or "disputes" in kept), step
    reviews = SqlReviews(database.session)
    assert await reviews.next_dispute("somebody") and (await reviews.figures())[2] > 0
    of_others = await reviews.of_pair(await reviews.next_dispute("late"))
    assert {each.reviewer for each in of_others} == {"a", "b"}


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
