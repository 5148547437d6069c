"""Where the node keeps its things, and the addresses that it has within its own network."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

NAME = "touchstone-node"
# Addresses of the node's own network namespace: no other network sees them.
ADDRESS = "10.99.0.1"
BRIDGE_CIDR = f"{ADDRESS}/24"
PODS_CIDR = "10.98.0.0/24"
SERVICES_CIDR = "10.97.0.0/16"
API_SERVICE_ADDRESS = "10.97.0.1"
API_PORT = 6443
# Apart from port 53, which a resolver of the machine may hold on every address.
DNS_ADDRESS = ADDRESS
DOMAIN = "cluster.local"
CONTAINERD_SOCKET = "/run/containerd/containerd.sock"
PAUSE_IMAGE = "touchstone.test/pause:1"


@dataclass(frozen=True)
class Layout:
    """The folders of one node.

    Attributes:
        state: All that the node writes; removed with it.
        cache: What is built or fetched once and used by every node.
    """

    state: Path
    cache: Path

    @property
    def packages(self) -> Path:
        """Programs from packages of Debian, unpacked and not installed."""
        return self.cache / "cluster" / "packages"

    @property
    def programs(self) -> Path:
        """Links to programs that this node has in the place of those from packages."""
        return self.state / "programs"

    @property
    def keys(self) -> Path:
        """Certificates, keys and the files by which programs reach the API."""
        return self.state / "keys"

    @property
    def configuration(self) -> Path:
        """What the daemons are told."""
        return self.state / "configuration"

    @property
    def logs(self) -> Path:
        """A file for each daemon."""
        return self.state / "logs"

    @property
    def progress(self) -> Path:
        """What the first process of the node tells of its start: a JSON object a line."""
        return self.state / "progress.jsonl"

    @property
    def pid_file(self) -> Path:
        """The first process of the node."""
        return self.state / "node.pid"

    @property
    def cgroup(self) -> str:
        """Name of the node's cgroup in each hierarchy; another state folder has another."""
        return f"{NAME}-{hashlib.sha256(str(self.state).encode()).hexdigest()[:8]}"

    def kubeconfig(self, user: str = "admin") -> Path:
        """The file by which one user reaches the API."""
        return self.keys / f"{user}.kubeconfig"

    def create(self) -> Layout:
        """Make the folders and return self."""
        for folder in (self.state, self.keys, self.configuration, self.logs):
            folder.mkdir(parents=True, exist_ok=True)
        self.keys.chmod(0o700)
        return self
