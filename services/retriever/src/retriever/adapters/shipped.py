"""The queries that come with the retriever."""

from __future__ import annotations

import tomllib
from importlib import resources

ORIGIN = "shipped"


def shipped_queries() -> list[tuple[str, str]]:
    """Text and origin of each shipped query."""
    content = tomllib.loads((resources.files("retriever.resources") / "queries.toml").read_text("utf-8"))
    return [(str(query["text"]), ORIGIN) for query in content["queries"]]
