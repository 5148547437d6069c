"""Undecided pairs, readings, scores; which label of a pair counts; totals that are kept and not counted."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

# Signs of a row in each total; a row counts while it is the current one of its pair.
_TOTALS = {
    "labelled": "1",
    "matching": "(label = 1)::int",
    "unclear": "unclear::int",
    "tested": "(executed is not null)::int",
    "executed": "(executed is true)::int",
    "disputed": "(audit is not null and label is not null and audit <> label)::int",
    "undecided": "(label is null)::int",
}


def upgrade() -> None:
    """Widen the table, choose the current labels, and keep totals by a trigger."""
    op.alter_column("labels", "label", nullable=True)
    op.add_column("labels", sa.Column("reading", sa.Text, nullable=False, server_default=""))
    op.add_column("labels", sa.Column("score", sa.Float, nullable=True))
    op.add_column("labels", sa.Column("calibration", sa.Text, nullable=False, server_default=""))
    op.add_column("labels", sa.Column("current", sa.Boolean, nullable=False, server_default=sa.true()))
    # No agent gave a usable judgement: that was kept as a zero until now.
    op.execute("update labels set label = null where decided_by = 'default'")
    op.execute(
        """
        update labels set current = false where (pair_id, method_id) not in (
            select distinct on (pair_id) pair_id, method_id from labels order by pair_id, labelled_at desc, method_id
        )
        """
    )
    current = sa.text("current is true")
    op.create_index(
        "labels_current_by_time", "labels", [sa.text("labelled_at DESC"), "pair_id"], postgresql_where=current
    )
    op.create_index("labels_current", "labels", ["pair_id"], unique=True, postgresql_where=current)
    op.create_index(
        "labels_current_by_words",
        "labels",
        [sa.text("md5(query)"), sa.text("labelled_at DESC")],
        postgresql_where=current,
    )
    op.create_table(
        "label_totals", *(sa.Column(name, sa.BigInteger, nullable=False, server_default="0") for name in _TOTALS)
    )
    names = ", ".join(_TOTALS)
    sums = ", ".join(f"coalesce(sum({sign}), 0)" for sign in _TOTALS.values())
    op.execute(f"insert into label_totals ({names}) select {sums} from labels where current")
    for event, tables in (("insert", "new table as added"), ("update", "old table as gone new table as added")):
        changes = ", ".join(
            f"{name} = {name} + (select coalesce(sum({sign}), 0) from added where current)"
            + (f" - (select coalesce(sum({sign}), 0) from gone where current)" if event == "update" else "")
            for name, sign in _TOTALS.items()
        )
        op.execute(
            f"create function totals_after_{event}() returns trigger language plpgsql as "
            f"$$ begin update label_totals set {changes}; return null; end $$"
        )
        op.execute(
            f"create trigger totals_after_{event} after {event} on labels referencing {tables} "
            f"for each statement execute function totals_after_{event}()"
        )


def downgrade() -> None:
    """Narrow the table again; what is undecided goes."""
    for event in ("insert", "update"):
        op.execute(f"drop trigger totals_after_{event} on labels")
        op.execute(f"drop function totals_after_{event}()")
    op.drop_table("label_totals")
    op.execute("delete from labels where label is null")
    for index in ("labels_current_by_time", "labels_current", "labels_current_by_words"):
        op.drop_index(index)
    for column in ("reading", "score", "calibration", "current"):
        op.drop_column("labels", column)
    op.alter_column("labels", "label", nullable=False)
