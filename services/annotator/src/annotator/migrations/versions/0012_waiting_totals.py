"""How many pairs wait, are begun and are set aside is kept, and those set aside have their order."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_SUMS = """
coalesce(sum(sign) filter (where aside = ''), 0) as waiting,
coalesce(sum(sign) filter (where aside = '' and begun), 0) as begun,
coalesce(sum(sign) filter (where aside <> ''), 0) as aside
"""
# Most statements change none of the three, and then nobody waits for the row.
_COUNTED = f"""
update waiting_totals as kept
set waiting = kept.waiting + changed.waiting, begun = kept.begun + changed.begun, aside = kept.aside + changed.aside
from (select {_SUMS} from ({{changes}}) as rows) as changed
where (changed.waiting, changed.begun, changed.aside) <> (0, 0, 0)
"""


def upgrade() -> None:
    """Make the table with its one row, keep it by triggers, and make the index."""
    op.create_table(
        "waiting_totals",
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("waiting", "begun", "aside")),
    )
    for event, tables in (("insert", ("added",)), ("update", ("added", "gone")), ("delete", ("gone",))):
        changes = " union all ".join(
            f"select aside, begun, {1 if table == 'added' else -1} as sign from {table}" for table in tables
        )
        op.execute(
            f"create function waiting_totals_after_{event}() returns trigger language plpgsql as "
            f"$$ begin {_COUNTED.format(changes=changes)}; return null; end $$"
        )
        referencing = " ".join(f"{'new' if table == 'added' else 'old'} table as {table}" for table in tables)
        op.execute(
            f"create trigger waiting_totals_after_{event} after {event} on waiting referencing {referencing} "
            f"for each statement execute function waiting_totals_after_{event}()"
        )
    # The triggers keep writers away until this is counted.
    op.execute(f"insert into waiting_totals select {_SUMS} from (select aside, begun, 1 as sign from waiting) as rows")
    order = [sa.text("begun DESC"), sa.text("priority DESC"), "pair_id"]
    op.create_index("waiting_aside_in_order", "waiting", order, postgresql_where=sa.text("aside <> ''"))


def downgrade() -> None:
    """Drop them."""
    op.drop_index("waiting_aside_in_order")
    for event in ("insert", "update", "delete"):
        op.execute(f"drop trigger waiting_totals_after_{event} on waiting")
        op.execute(f"drop function waiting_totals_after_{event}()")
    op.drop_table("waiting_totals")
