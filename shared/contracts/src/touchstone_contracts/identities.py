"""Identities that several services give to the same thing: queries, codes that nobody ingested, and pairs."""

from __future__ import annotations

from touchstone_contracts.envelope import content_id


def query_words(text: str) -> str:
    """A query as it is kept: white space makes no difference."""
    return " ".join(text.split())


def query_id(text: str) -> str:
    """Id of a query by its words.

    Example:
        >>> query_id("sum  a list\\n") == query_id("sum a list")
        True
    """
    return content_id("query", query_words(text))


def code_id(code: str, language: str) -> str:
    """Id of a code that stands in no ingested source; those that do have a function's id."""
    return content_id("code", language, code)


def pair_id(of_query: str, of_code: str) -> str:
    """Id of a query and a code, by their ids: proposed, asked for on demand, imported or reviewed, it is one pair."""
    return content_id("pair", of_query, of_code)
