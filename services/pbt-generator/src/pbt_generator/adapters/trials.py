"""What came of trials, in PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from pbt_generator.domain.trial import Trial
from touchstone_runtime.database import Database

TRIALS = sa.Table(
    "trials",
    sa.MetaData(),
    sa.Column("task_id", sa.Text, primary_key=True),
    sa.Column("model", sa.Text, primary_key=True),
    sa.Column("asked", sa.Integer),
    # None for trials of before it was kept.
    sa.Column("answered", sa.Integer),
    sa.Column("solved", sa.Integer),
    sa.Column("pointed", sa.Integer),
    sa.Column("digest", sa.Text),
)


class SqlTrials:
    """One row a task and model; see `Trials`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, trial: Trial, digest: str) -> None:
        """Keep a trial in place of the one before."""
        told = {
            "asked": trial.asked,
            "answered": trial.answered,
            "solved": trial.solved,
            "pointed": trial.pointed,
            "digest": digest,
        }
        query = insert(TRIALS).values(task_id=trial.task_id, model=trial.model, **told)
        async with self._database.session() as session:
            await session.execute(query.on_conflict_do_update(index_elements=["task_id", "model"], set_=told))

    async def solved_by(self) -> Mapping[str, Mapping[str, str]]:
        """By task and model how many of how many solutions pass."""
        answered = sa.func.coalesce(TRIALS.c.answered, TRIALS.c.asked)
        query = sa.select(TRIALS.c.task_id, TRIALS.c.model, TRIALS.c.solved, answered)
        found: dict[str, dict[str, str]] = {}
        async with self._database.session() as session:
            for task_id, model, solved, of in await session.execute(query.order_by(TRIALS.c.model)):
                found.setdefault(task_id, {})[model] = f"{solved}/{of}"
        return found
