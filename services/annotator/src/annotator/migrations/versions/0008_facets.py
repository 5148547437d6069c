"""How many current labels each kind has, so that a list by any conditions is merged from kinds that there are."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_DISPUTED = "audit IS NOT NULL AND label IS NOT NULL AND audit <> label"
_KIND = f"language, decided_by, coalesce(label, -1) as outcome, ({_DISPUTED}) as disputed"
_COUNTED = """
insert into label_facets as kept (language, decided_by, outcome, disputed, labels)
select language, decided_by, outcome, disputed, sum(sign) from ({changes}) as changed
group by language, decided_by, outcome, disputed having sum(sign) <> 0
on conflict (language, decided_by, outcome, disputed) do update set labels = kept.labels + excluded.labels
"""


def upgrade() -> None:
    """Make the table, keep it by triggers, and make the index that the lists of a kind walk along."""
    op.create_table(
        "label_facets",
        sa.Column("language", sa.Text, primary_key=True),
        sa.Column("decided_by", sa.Text, primary_key=True),
        sa.Column("outcome", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("disputed", sa.Boolean, primary_key=True),
        sa.Column("labels", sa.BigInteger, nullable=False),
    )
    for event, tables in (("insert", ("added",)), ("update", ("added", "gone"))):
        changes = " union all ".join(
            f"select {_KIND}, {1 if table == 'added' else -1} as sign from {table} where current" for table in tables
        )
        op.execute(
            f"create function totals_by_facet_after_{event}() returns trigger language plpgsql as "
            f"$$ begin {_COUNTED.format(changes=changes)}; return null; end $$"
        )
        referencing = " ".join(f"{'new' if table == 'added' else 'old'} table as {table}" for table in tables)
        # By its name it comes after `totals_after_…`, whose one row makes writers take turns: no two of them lock kinds
        # crosswise.
        op.execute(
            f"create trigger totals_by_facet_after_{event} after {event} on labels referencing {referencing} "
            f"for each statement execute function totals_by_facet_after_{event}()"
        )
    # The triggers keep writers away until this is counted.
    op.execute(_COUNTED.format(changes=f"select {_KIND}, 1 as sign from labels where current"))
    op.create_index(
        "labels_by_facet",
        "labels",
        [
            *("language", "decided_by", sa.text("coalesce(label, -1)"), sa.text(f"({_DISPUTED})")),
            *(sa.text("labelled_at DESC"), "pair_id"),
        ],
        # So that the walk stays within the index.
        postgresql_include=["label", "audit"],
        postgresql_where=sa.text("current is true"),
    )
    op.drop_index("labels_current_by_decider")


def downgrade() -> None:
    """Drop them, and make the index of before."""
    op.create_index(
        "labels_current_by_decider",
        "labels",
        ["decided_by", sa.text("labelled_at DESC"), "pair_id"],
        postgresql_where=sa.text("current is true"),
    )
    op.drop_index("labels_by_facet")
    for event in ("insert", "update"):
        op.execute(f"drop trigger totals_by_facet_after_{event} on labels")
        op.execute(f"drop function totals_by_facet_after_{event}()")
    op.drop_table("label_facets")
