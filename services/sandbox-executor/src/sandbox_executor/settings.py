"""The executor's settings, from the environment with the prefix `TOUCHSTONE_`."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import Field

from touchstone_runtime.settings import ServiceSettings, network_variables


class SandboxSettings(ServiceSettings):
    """What the executor can be told."""

    sandbox_workers: int = Field(
        max(2, os.cpu_count() or 1), ge=1, le=64, description="Jobs at a time; more wait in a queue"
    )
    sandbox_backend: str = Field("local", description="Backend of jobs that name none: local or gvisor")
    sandbox_backends: str = Field(
        "local,gvisor", description="Backends that jobs may choose, with commas between; the default one always"
    )
    sandbox_most_waiting: int = Field(10_000, gt=0, description="Jobs of one caller that may wait; more are refused")
    sandbox_all_memory_bytes: int = Field(
        0,
        ge=0,
        description="Memory of all jobs that run at a time; 0: four fifths of the machine's, or pod's",
    )
    sandbox_runsc: Path | None = Field(None, description="gVisor's runsc; empty: the one that was built in the cache")
    sandbox_gvisor_spares: int = Field(1, ge=0, le=64, description="gVisor sandboxes that are started ahead of jobs")
    sandbox_case_timeout_s: float = Field(5.0, gt=0, description="Wall-clock seconds of one case, by default")
    sandbox_total_timeout_s: float = Field(120.0, gt=0, description="Wall-clock seconds of one job, by default")
    sandbox_memory_bytes: int = Field(512 * 1024 * 1024, gt=0, description="Memory of one job, by default")
    sandbox_output_bytes: int = Field(4 * 1024 * 1024, gt=0, description="What one process may print, by default")
    sandbox_processes: int = Field(64, gt=0, description="Processes and threads of one job, by default")
    sandbox_cpus: float = Field(0.0, ge=0, description="Processors that one job may keep busy; 0: all of them")
    sandbox_sessions: int = Field(8, ge=0, le=128, description="Sessions that may be open")
    sandbox_sessions_per_caller: int = Field(4, ge=0, description="Sessions that one caller may have open")
    sandbox_sessions_memory_bytes: int = Field(
        0, ge=0, description="What the limits of open sessions may add up to; 0: half of the memory of all jobs"
    )
    sandbox_session_idle_s: float = Field(600.0, gt=0, description="Seconds without a call that end a session")
    sandbox_session_lifetime_s: float = Field(3600.0, gt=0, description="Seconds after which a session ends anyway")
    sandbox_datasets_url: str = Field(
        "", description="Blob store of the datasets that jobs may name; empty: datasets, beneath the blob store"
    )
    sandbox_datasets_bytes: int = Field(
        8 * 1024**3, gt=0, description="What datasets may take here; the ones used longest ago go first"
    )
    sandbox_index_url: str = Field("", description="Package index for Prepare; empty: the one that pip is set to")
    toolchains_dir: Path | None = Field(
        None, description="Folder of built toolchains, shared by executors of one machine; empty: state_dir"
    )
    node: Path | None = Field(None, description="The program node; empty: the one from its wheel")
    java_home: Path | None = Field(None, description="Folder of a Java runtime; empty: the one from its wheel")
    go_root: Path | None = Field(None, description="Folder of a Go toolchain; empty: the one from its wheel")
    php: Path | None = Field(
        None, description="The program php; empty: our own, fetched once; the system's where that cannot run"
    )
    ecj_jar: Path | None = Field(None, description="The Eclipse compiler for Java; empty: fetched once")

    def pip_variables(self) -> dict[str, str]:
        """What fetching packages needs of our environment: index, certificates, proxies."""
        wanted = ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_CERT", "PIP_TRUSTED_HOST", "PIP_DEFAULT_TIMEOUT")
        found = network_variables() | {name: os.environ[name] for name in wanted if os.environ.get(name)}
        if self.sandbox_index_url:
            found["PIP_INDEX_URL"] = self.sandbox_index_url
        return found

    @property
    def datasets_url(self) -> str:
        """Store of datasets: apart from the other blobs, since suites with their expected values are among those."""
        return self.sandbox_datasets_url or f"{self.blob_url.rstrip('/')}/datasets"

    @property
    def cache(self) -> Path:
        """Folder of what is built once a machine."""
        return self.toolchains_dir or self.state_dir / "cache"

    def go_variables(self) -> dict[str, str]:
        """What fetching Go modules needs of our environment: module mirrors, certificates, proxies."""
        wanted = ("GOPROXY", "GONOPROXY", "GOPRIVATE", "GOSUMDB", "GOINSECURE", "NETRC")
        return network_variables() | {name: os.environ[name] for name in wanted if os.environ.get(name)}
