"""The ingester's settings."""

from __future__ import annotations

from pydantic import Field

from touchstone_runtime.settings import ServiceSettings


class IngesterSettings(ServiceSettings):
    """What is followed how often, and what is accepted."""

    package_index_url: str = Field("", description="Simple-protocol package index; empty: the client's default")
    git_token: str = Field("", description="Bearer token for private https repositories", repr=False)
    window_days: int = Field(365, ge=1, description="Code older than this many days becomes no task")
    follow_interval_s: float = Field(3600.0, gt=0, description="How often a source is looked at, in seconds")
    licences: tuple[str, ...] = Field((), description="SPDX identifiers whose code may become tasks; empty: all")
    skip_tests: bool = Field(True, description="Whether functions of test files are counted only, not searched")
    download_bytes: int = Field(200 << 20, ge=1, description="Largest archive that is fetched, in bytes")
    unpacked_bytes: int = Field(1 << 30, ge=1, description="Most bytes that an archive may unpack to")
    unpacked_files: int = Field(50_000, ge=1, description="Most files that an archive may hold")
    analysis_processes: int = Field(1, ge=1, description="Processes that analyse files side by side")
