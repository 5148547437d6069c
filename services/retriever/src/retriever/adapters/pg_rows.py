"""Codes as rows of PostgreSQL, and filters as conditions on them."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from retriever.adapters.pg_text import tsvector
from retriever.adapters.tables import codes
from retriever.domain.code import IndexedCode, SearchFilter, licence_key, repository_key
from retriever.domain.exact import path_expression, symbol_expression
from retriever.domain.text import WORDS_FORM, words_of
from retriever.domain.versions import version_key


def columns_of(code: IndexedCode) -> dict[str, Any]:
    """A code's row by the names of its columns; `words` is the text of a tsvector."""
    words = words_of(code)
    return {
        "function_id": code.function_id,
        "source_id": code.source_id,
        "source_version_id": code.source_version_id,
        "version_key": version_key(code),
        "repository_key": repository_key(code.repository),
        "language": code.language.lower(),
        "path": code.lineage[1],
        "qualname": code.qualname,
        "form": code.form,
        "searchable_pair": code.searchable_pair,
        "record": code.record,
        "licence_key": licence_key(code.licence),
        "version": code.version,
        "twin": code.twin,
        "words": tsvector(words),
        "length": words.total(),
        "digest": code.digest,
        "words_form": WORDS_FORM,
    }


def conditions(chosen: SearchFilter) -> list[sa.ColumnElement[bool]]:
    """What a filter asks for, but its pattern."""
    conditions: list[sa.ColumnElement[bool]] = [codes.c.form.in_(sorted(chosen.forms))]
    for column, keys in (
        (codes.c.repository_key, chosen.repository_keys),
        (codes.c.language, chosen.language_keys),
        (codes.c.licence_key, chosen.licence_keys),
        (codes.c.version, [chosen.version] if chosen.version else []),
    ):
        if keys:
            conditions.append(column.in_(keys))
    if chosen.symbol:
        conditions.append(_matches(sa.func.lower(codes.c.qualname), symbol_expression(chosen.symbol)))
    if chosen.path:
        conditions.append(_matches(codes.c.path, path_expression(chosen.path)))
    if not chosen.superseded:
        conditions.append(sa.not_(codes.c.superseded))
    if chosen.pairs_only:
        conditions.append(codes.c.searchable_pair)
    return conditions


def _matches(column: sa.ColumnElement[str], expression: str) -> sa.ColumnElement[bool]:
    return column.op("~", is_comparison=True)(f"^(?:{expression})$")
