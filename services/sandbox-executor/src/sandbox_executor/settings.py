"""The executor's settings, from the environment with the prefix `TOUCHSTONE_`."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import Field

from sandbox_executor.domain.packages import Policy, parse_names
from touchstone_runtime.settings import ServiceSettings, network_variables

# How npm fetches, as its settings are called.
_NPM = frozenset(
    ("registry", "cafile", "ca", "proxy", "https_proxy", "https-proxy", "noproxy", "strict_ssl", "strict-ssl",
     "fetch_timeout", "fetch_retries")
)  # fmt: skip


class SandboxSettings(ServiceSettings):
    """What the executor can be told."""

    sandbox_workers: int = Field(
        max(2, os.cpu_count() or 1), ge=1, le=64, description="Jobs at a time; more wait in a queue"
    )
    sandbox_backend: str = Field("local", description="Backend of jobs that name none: local, gvisor or pods")
    sandbox_backends: str = Field(
        "local,gvisor", description="Backends that jobs may choose, with commas between; the default one always"
    )
    sandbox_runners_namespace: str = Field("", description="Namespace of runner pods, for the backend pods")
    sandbox_runners_selector: str = Field(
        "", description="Labels of runner pods as name=value with commas between, for the backend pods"
    )
    sandbox_runners_wait_s: float = Field(
        600.0, gt=0, description="Seconds that a job waits for a runner pod before it is given back to be tried again"
    )
    sandbox_pod_uid: str = Field("", description="The cluster's id of the pod that this process runs in")
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
    sandbox_output_bytes: int = Field(4 * 1024 * 1024, gt=0, description="What a case or program may print, by default")
    sandbox_processes: int = Field(64, gt=0, description="Processes and threads of one job, by default")
    sandbox_cpus: float = Field(0.0, ge=0, description="Processors that one job may keep busy; 0: all of them")
    sandbox_sessions: int = Field(8, ge=0, le=128, description="Sessions that may be open")
    sandbox_sessions_per_caller: int = Field(4, ge=0, description="Sessions that one caller may have open")
    sandbox_sessions_memory_bytes: int = Field(
        0, ge=0, description="What the limits of open sessions may add up to; 0: half of the memory of all jobs"
    )
    sandbox_session_idle_s: float = Field(600.0, gt=0, description="Seconds without a call that end a session")
    sandbox_session_lifetime_s: float = Field(3600.0, gt=0, description="Seconds after which a session ends anyway")
    sandbox_replica_address: str = Field(
        "", description="host:port of this replica among several, which ids of its sessions name; empty: only one"
    )
    sandbox_datasets_url: str = Field(
        "", description="Blob store of the datasets that jobs may name; empty: datasets, beneath the blob store"
    )
    sandbox_datasets_bytes: int = Field(
        8 * 1024**3, gt=0, description="What datasets may take here; the ones used longest ago go first"
    )
    sandbox_egress: str = Field(
        "",
        description="What jobs may reach outside when they ask for it, with commas between: host:port, where * stands "
        "for any letters or any port, perhaps after caller@ (a token's public part); empty: nothing",
    )
    sandbox_egress_private: str = Field(
        "", description="Of these, names that may lead to addresses that are not public: host:port"
    )
    sandbox_egress_bytes: int = Field(
        64 * 1024**2, gt=0, description="What one job may carry through its way out, both ways together"
    )
    sandbox_maven_repository: str = Field(
        "", description="Repository for Prepare of Java, an address; empty: the one that jgo has"
    )
    sandbox_npm_registry: str = Field(
        "", description="Registry for Prepare of JavaScript; empty: the one that npm is set to"
    )
    sandbox_packages_allowed: str = Field(
        "",
        description="Packages that may be prepared, with commas between: names or patterns, perhaps after a language "
        "(javascript:left-pad, python:types-*); empty: all",
    )
    sandbox_packages_denied: str = Field(
        "", description="Packages that may not be prepared, written the same way; denied wins"
    )
    sandbox_packages_most: int = Field(200, gt=0, description="Packages of one environment")
    sandbox_packages_bytes: int = Field(512 * 1024**2, gt=0, description="Size of one environment, unpacked")
    sandbox_packages_age_days: float = Field(
        0.0, ge=0, description="Days that a package must have been published, where the index says when; 0: any"
    )
    sandbox_packages_native: bool = Field(True, description="Whether packages may bring machine code")
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

    def npm_variables(self) -> dict[str, str]:
        """What fetching packages of JavaScript needs of our environment: registry, certificates, proxies."""
        found = network_variables()
        for name, value in os.environ.items():
            key = name.lower().removeprefix("npm_config_")
            # Settings of where and how to fetch, a scope's registry, a token of a registry; nothing of what to run.
            wanted = key in _NPM or key.startswith("//") or (key.startswith("@") and key.endswith(":registry"))
            if name.lower().startswith("npm_config_") and wanted and value:
                found[f"npm_config_{name[len('npm_config_') :] if key[0] in '/@' else key}"] = value
        if self.sandbox_npm_registry:
            found["npm_config_registry"] = self.sandbox_npm_registry
        return found

    def maven_variables(self) -> dict[str, str]:
        """What fetching archives of Java needs of our environment: certificates, proxies."""
        return network_variables()

    def policy(self) -> Policy:
        """Which packages may be prepared."""
        return Policy(
            parse_names(self.sandbox_packages_allowed),
            parse_names(self.sandbox_packages_denied),
            self.sandbox_packages_most,
            self.sandbox_packages_bytes,
            self.sandbox_packages_age_days,
            self.sandbox_packages_native,
        )

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
