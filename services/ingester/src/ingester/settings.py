"""The ingester's settings."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from ingester.domain.following import MOST_WINDOW_DAYS
from touchstone_runtime.settings import ServiceSettings


class IngesterSettings(ServiceSettings):
    """What is followed how often, and what is accepted."""

    package_index_url: str = Field("", description="Simple-protocol package index; empty: the client's default")
    git_token: str = Field("", description="Bearer token for private https repositories of git_token_host", repr=False)
    git_token_host: str = Field("", description="host or host:port that git_token belongs to; no other ever sees it")

    @model_validator(mode="after")
    def _token_has_a_host(self) -> Self:
        if self.git_token and not self.git_token_host:
            raise ValueError("a git token belongs to a host: set TOUCHSTONE_GIT_TOKEN_HOST beside TOUCHSTONE_GIT_TOKEN")
        return self

    window_days: int = Field(
        365, ge=1, le=MOST_WINDOW_DAYS, description="Code older than this many days becomes no task"
    )
    follow_interval_s: float = Field(3600.0, gt=0, description="How often a source is looked at, in seconds")
    licences: tuple[str, ...] = Field((), description="SPDX identifiers whose code may become tasks; empty: all")
    dating_looks: int = Field(48, ge=0, description="Earlier releases, or commits, read in one pass, to date functions")
    skip_tests: bool = Field(True, description="Whether functions of test files are counted only, not searched")
    download_bytes: int = Field(200 << 20, ge=1, description="Largest archive that is fetched, in bytes")
    clone_bytes: int = Field(2 << 30, ge=1, description="Most bytes that a clone may take, history and files together")
    unpacked_bytes: int = Field(1 << 30, ge=1, description="Most bytes that an archive may unpack to")
    unpacked_files: int = Field(50_000, ge=1, description="Most files that an archive may hold")
    analysis_processes: int = Field(1, ge=1, description="Processes that analyse files side by side")
