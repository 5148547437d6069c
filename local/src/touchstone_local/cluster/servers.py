"""Servers that the demonstration brings beside broker and database: blobs, an index of vectors, Prometheus."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from touchstone_local import go_programs, weaviate
from touchstone_local.cluster import packages
from touchstone_local.cluster.layout import Layout
from touchstone_runtime.building import GoProgram

# The store behind s3:// keeps each object as a file; the public image of the same version runs the same program.
VERSITYGW = GoProgram(
    name="VersityGW",
    version="v1.8.0",
    module=Path(__file__).parents[1] / "go_modules" / "versitygw",
    package="github.com/versity/versitygw/cmd/versitygw",
    binary="versitygw",
    disk_bytes=3 << 30,
    setting="TOUCHSTONE_VERSITYGW",
)


def programs(layout: Layout, tell: Callable[[str], None]) -> dict[str, Path]:
    """Have every server's program, by the name that it has in an image.

    Raises:
        LocalError: one cannot be had.
    """
    prometheus = packages.ensure_more(layout, ("prometheus",), tell)
    return {
        "versitygw": go_programs.find(VERSITYGW, layout.cache) or go_programs.build(VERSITYGW, layout.cache, tell),
        "weaviate": weaviate.ensure(layout.cache, tell),
        "prometheus": prometheus / "usr/bin/prometheus",
    }
