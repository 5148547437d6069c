"""What each process asks of PostgreSQL, each second."""

import pytest
import sqlalchemy as sa

from retriever.adapters.generation_store import SqlGenerationStore
from retriever.adapters.memory_index import MemoryIndex
from retriever.domain.generations import Generation
from retriever.usecases.generations import Generations

pytestmark = pytest.mark.real


@pytest.mark.parametrize("store", ["postgres"], indirect=True)
async def test_which_generation_answers_is_read_by_one_statement(store: SqlGenerationStore):
    await store.add(Generation("first", (), "code-1"))
    await store.choose("first", pinned=False)
    statements: list[str] = []
    sa.event.listen(
        store._database.engine.sync_engine, "before_cursor_execute", lambda *told: statements.append(told[2])
    )
    active = await Generations(store, MemoryIndex(), None).active()
    assert active is not None and active.name == "first"
    assert len(statements) == 1, statements
