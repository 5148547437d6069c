"""The generator's settings."""

from __future__ import annotations

from pydantic import Field

from touchstone_runtime.settings import ServiceSettings


class PbtGeneratorSettings(ServiceSettings):
    """How many tasks are built at a time."""

    build_workers: int = Field(2, ge=1, description="Candidates built side by side, of several sources in turn")
    task_model: str = Field(
        "",
        description="Model that judges and words tasks and makes up wrong programs, by its name in models.toml; "
        "empty: documented heuristics",
    )
    trace_tests_s: float = Field(
        60.0, ge=0, description="Seconds for which a package's own tests run, to see what callers send; 0: not run"
    )
    build_deadline_s: float = Field(600.0, gt=0, description="Longest wait for one sandbox job, in seconds")
