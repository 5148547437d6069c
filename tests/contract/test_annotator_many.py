"""Lists of labels enter an index where their labels are, however few these are among many."""

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from annotator.adapters.labels import SqlLabels, page_of
from annotator.app import MIGRATIONS
from annotator.ports import Wanted
from touchstone_runtime.database import Database

pytestmark = pytest.mark.real
COUNT = 20_000
WORDS = "how to do thing number 97 in a few words"


@pytest.fixture
async def database(postgres, load_module):
    found = Database(postgres, "annotator", MIGRATIONS)
    try:
        await found.migrate()
        async with found.session() as session:
            await session.execute(sa.text("truncate labels"))
        await load_module("tests/bench/annotation_many.py").fill(found, COUNT)
        yield found
    finally:
        await found.close()


async def plan(database, statement):
    text = str(statement.compile(dialect=postgresql.dialect(), compile_kwargs={"literal_binds": True}))
    async with database.session() as session:
        return "\n".join((await session.execute(sa.text("explain " + text.replace(":", "\\:")))).scalars())


async def test_no_list_reads_the_whole_table(database):
    expected = {
        "labels_current_by_words": Wanted(query=WORDS),
        "labels_current_by_decider": Wanted(decided_by="nobody"),
        "labels_current_by_language": Wanted(language="cobol"),
    }
    for index, wanted in expected.items():
        found = await plan(database, page_of(100, wanted))
        assert index in found and "Seq Scan" not in found, found
    for wanted in (Wanted(), Wanted(outcome="undecided"), Wanted(disputed=True), Wanted(outcome="yes")):
        found = await plan(database, page_of(100, wanted))
        assert "_by_time" in found and "Seq Scan" not in found, found
    labels = SqlLabels(database.session)
    assert len(await labels.newest(100, Wanted(query=WORDS))) == 20
    assert len(await labels.newest(100, Wanted(decided_by="person"))) == COUNT // 1000
