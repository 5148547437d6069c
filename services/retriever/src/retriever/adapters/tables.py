"""The retriever's tables."""

from __future__ import annotations

import sqlalchemy as sa
from pgvector.sqlalchemy import Vector
from sqlalchemy.dialects.postgresql import JSONB, TSVECTOR

from touchstone_runtime.llm import ledger_table

metadata = sa.MetaData()

codes = sa.Table(
    "codes",
    metadata,
    sa.Column("function_id", sa.Text, primary_key=True),
    sa.Column("source_id", sa.Text, nullable=False),
    sa.Column("source_version_id", sa.Text, nullable=False),
    # Sorts by code point as the versions of a source follow one another.
    sa.Column("version_key", sa.Text(collation="C"), nullable=False),
    sa.Column("repository_key", sa.Text, nullable=False),
    sa.Column("language", sa.Text, nullable=False),
    # The path without a leading folder that names the version.
    sa.Column("path", sa.Text, nullable=False),
    sa.Column("qualname", sa.Text, nullable=False),
    sa.Column("form", sa.Text, nullable=False),
    sa.Column("searchable_pair", sa.Boolean, nullable=False),
    sa.Column("superseded", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("record", sa.Text, nullable=False),
    sa.Column("licence_key", sa.Text, nullable=False, server_default=""),
    sa.Column("version", sa.Text, nullable=False, server_default=""),
    # The same for codes that differ in white space at most.
    sa.Column("twin", sa.Text, nullable=False, server_default=""),
    # Each word at as many places as it counts, and their sum.
    sa.Column("words", TSVECTOR, nullable=False, server_default=""),
    sa.Column("length", sa.Integer, nullable=False, server_default="0"),
    # Of id and record; 0 in rows of an earlier release until they are filled in.
    sa.Column("digest", sa.BigInteger, nullable=False, server_default="0"),
    # How they were made; empty where nobody noted it.
    sa.Column("words_form", sa.Text, nullable=False, server_default=""),
    sa.Index("codes_by_lineage", "source_id", "path", "qualname"),
    sa.Index("codes_by_repository", "repository_key"),
    sa.Index("codes_by_words", "words", postgresql_using="gin"),
)

code_vectors = sa.Table(
    "code_vectors",
    metadata,
    sa.Column("function_id", sa.Text, sa.ForeignKey("codes.function_id", ondelete="CASCADE"), primary_key=True),
    # Key of the space that the vector lies in; of an index of before there were generations, the model's name.
    sa.Column("model", sa.Text, primary_key=True),
    sa.Column("dimensions", sa.Integer, nullable=False),
    # Of any length: models differ, and one may be added without a migration.
    sa.Column("embedding", Vector(), nullable=False),
    sa.Index("code_vectors_by_model", "model", "dimensions"),
)

# One row: how many transactions have changed what can be found.
index_writes = sa.Table("index_writes", metadata, sa.Column("writes", sa.BigInteger, nullable=False))

# What replicas changed in the index, counted without a gap, so that who holds codes in memory can follow.
index_changes = sa.Table(
    "index_changes",
    metadata,
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("function_ids", sa.ARRAY(sa.Text), nullable=False),
    sa.Column("source_ids", sa.ARRAY(sa.Text), nullable=False),
    # Keys of spaces.
    sa.Column("keys", sa.ARRAY(sa.Text), nullable=False),
)

queries = sa.Table(
    "queries",
    metadata,
    sa.Column("query_id", sa.Text, primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("origin", sa.Text, nullable=False),
    sa.Column("candidates", sa.Integer, nullable=False),
    # When candidates were last looked for, and the state of the index then; null before pools had versions.
    sa.Column("looked_at", sa.DateTime(timezone=True)),
    sa.Column("looked_index", sa.Text, nullable=False, server_default=""),
)

proposals = sa.Table(
    "proposals",
    metadata,
    sa.Column("query_id", sa.Text, sa.ForeignKey("queries.query_id", ondelete="CASCADE"), primary_key=True),
    # The place among the nearest when the pair entered.
    sa.Column("rank", sa.Integer, nullable=False),
    sa.Column("pair_id", sa.Text, primary_key=True),
    sa.Column("function_id", sa.Text, nullable=False),
    sa.Column("score", sa.Double, nullable=False),
    sa.Column("record", sa.Text, nullable=False),
    sa.Column("version", sa.Integer, nullable=False, server_default="1"),
    # Empty where a pair entered before duplicates were merged.
    sa.Column("twin", sa.Text, nullable=False, server_default=""),
    sa.Column("published", sa.Boolean, nullable=False, server_default=sa.true()),
    # Empty where a pair entered before retrievers were told apart.
    sa.Column("places", JSONB, nullable=False, server_default="{}"),
)

pool_versions = sa.Table(
    "pool_versions",
    metadata,
    sa.Column("query_id", sa.Text, sa.ForeignKey("queries.query_id", ondelete="CASCADE"), primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True),
    sa.Column("entered", sa.Integer, nullable=False),
    sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("index_state", sa.Text, nullable=False),
    sa.Column("asked", sa.Integer, nullable=False),
    sa.Column("shared", JSONB, nullable=False),
)

readings = sa.Table(
    "readings",
    metadata,
    sa.Column("source_id", sa.Text, primary_key=True),
    sa.Column("source_version_id", sa.Text, primary_key=True),
    sa.Column("version_key", sa.Text, nullable=False),
    # ISO 8601 in UTC: the order of the readings.
    sa.Column("read_at", sa.Text(collation="C"), nullable=False),
    # False for a pass that broke off.
    sa.Column("whole", sa.Boolean, nullable=False),
    sa.Column("repository", sa.Text, nullable=False),
    sa.Column("version", sa.Text, nullable=False),
    # Blob of the places that stand; empty where the event did not name them.
    sa.Column("digest", sa.Text, nullable=False),
)

generations = sa.Table(
    "generations",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("number", sa.Integer, sa.Identity(), nullable=False),
    # Key, model and identity of each.
    sa.Column("spaces", sa.JSON, nullable=False),
    sa.Column("text_form", sa.Text, nullable=False),
    sa.Column("weights", sa.JSON, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("active", sa.Boolean, nullable=False),
    # Somebody chose it: no newer one takes over by itself.
    sa.Column("pinned", sa.Boolean, nullable=False),
    sa.Column("made_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    sa.Index("generations_answering", "active", unique=True, postgresql_where=sa.text("active")),
)

index_build = sa.Table(
    "index_build",
    metadata,
    sa.Column("stream", sa.Text, primary_key=True),
    sa.Column("partition", sa.Integer, primary_key=True),
    sa.Column("position", sa.BigInteger, nullable=False),
    sa.Column("taken", sa.BigInteger, nullable=False),
    # -1 as long as nobody looked.
    sa.Column("waiting", sa.BigInteger, nullable=False),
)

llm_ledger = ledger_table(metadata)
