"""Kinds of sources, where tasks come from: the ingester follows, the generator imports, others tell them apart."""

from __future__ import annotations

from typing import Literal, get_args

# What can be followed.
Followed = Literal["package", "git", "folder", "archive"]
FOLLOWED: tuple[Followed, ...] = get_args(Followed)
# Somebody else's set of tasks, imported as it is.
BENCHMARK = "benchmark"
