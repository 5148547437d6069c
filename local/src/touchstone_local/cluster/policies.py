"""Network policies enforced on the node, whose bridge enforces none: kube-router's firewall, from its Go module."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from touchstone_local import go_programs
from touchstone_local.cluster import daemons, node, packages
from touchstone_local.cluster.layout import NAME, SERVICES_CIDR, Layout
from touchstone_runtime.building import GoProgram

_PACKAGE = "github.com/cloudnativelabs/kube-router/v2"
KUBE_ROUTER = GoProgram(
    name="kube-router",
    version="v2.1.0",
    module=Path(__file__).parents[1] / "go_modules" / "kube_router",
    package=f"{_PACKAGE}/cmd/kube-router",
    binary="kube-router",
    linking=f"-s -w -X {_PACKAGE}/pkg/version.Version=v2.1.0",
)
# Sets of addresses, which the firewall's rules name.
_SETS = ("ipset", "libipset13")
_PORT = "20244"
_ENFORCED_WITHIN_S = 120.0
# Of the firewall: where pods' packets begin, what each pod has, and what each policy has.
_CHAINS = ("KUBE-ROUTER-", "KUBE-POD-FW-", "KUBE-NWPLCY-")


def have(layout: Layout, tell: Callable[[str], None]) -> tuple[Path, Path]:
    """Have the firewall, and the folder of the packages that it needs; some minutes where nothing is built yet.

    Raises:
        LocalError: one cannot be had.
    """
    return go_programs.build(KUBE_ROUTER, layout.cache, tell), packages.ensure_more(layout, _SETS, tell)


@contextmanager
def enforced(layout: Layout, tell: Callable[[str], None]) -> Iterator[None]:
    """The node with its network policies enforced, and afterwards as it was.

    Args:
        layout: Of a node that runs.
        tell: Told how far it is; some minutes where nothing is built yet.

    Raises:
        LocalError: the firewall cannot be had or does not come up; its log lies with the node's.
    """
    program, sets = have(layout, tell)
    command = (
        str(program), "--run-firewall=true", "--run-router=false", "--run-service-proxy=false",
        f"--kubeconfig={layout.kubeconfig()}", f"--hostname-override={NAME}",
        f"--service-cluster-ip-range={SERVICES_CIDR}", f"--health-port={_PORT}", "--metrics-port=0",
    )  # fmt: skip
    begun = tuple(_among(layout, sets, command))
    firewall = daemons.Daemon(KUBE_ROUTER.name, begun, lambda: _CHAINS[0] in _rules(layout))
    process = daemons.spawn(layout, firewall)
    try:
        daemons.until_ready(layout, firewall, process, _ENFORCED_WITHIN_S)
        tell(f"{KUBE_ROUTER.name} {KUBE_ROUTER.version} enforces network policies")
        yield
    finally:
        subprocess.run(node.inside(layout, ["pkill", "-f", str(program)]), check=False, cwd="/")
        process.wait()
        _open(layout, sets)


def without(rules: str) -> str:
    """What takes the firewall's chains out, for `iptables-restore --noflush`, which leaves those of others alone.

    Args:
        rules: As `iptables-save` writes them, of the table `filter`.
    """
    lines = rules.splitlines()
    chains = [line.split()[0][1:] for line in lines if line.startswith(":") and line[1:].startswith(_CHAINS)]
    jumps = [line.removeprefix("-A ") for line in lines if line.startswith("-A ") and line.split()[-1] in chains]
    foreign = [f"-D {jump}" for jump in jumps if not jump.startswith(_CHAINS)]
    # A chain that is named with its count loses its rules; only then nobody refers to another one.
    emptied, gone = [f":{chain} - [0:0]" for chain in chains], [f"-X {chain}" for chain in chains]
    return "\n".join(["*filter", *emptied, *foreign, *gone, "COMMIT", ""])


def _open(layout: Layout, sets: Path) -> None:
    """Take the firewall out of the node; what kube-router has for it ends in a panic."""
    restore = ["iptables-restore", "--noflush"]
    subprocess.run(node.inside(layout, restore), input=without(_rules(layout)), text=True, check=True, cwd="/")
    destroy = 'ipset list -n | while read -r name; do case "$name" in KUBE-*) ipset destroy "$name";; esac; done'
    subprocess.run(_among(layout, sets, ("sh", "-c", destroy)), stdin=subprocess.DEVNULL, check=True, cwd="/")


def _among(layout: Layout, sets: Path, command: tuple[str, ...]) -> list[str]:
    """A command in the node that finds the program for sets, too."""
    known = packages.variables(layout)
    path = f"{sets}/usr/sbin:{sets}/sbin:{known['PATH']}"
    libraries = f"{sets}/usr/lib/x86_64-linux-gnu:{sets}/lib/x86_64-linux-gnu:{known['LD_LIBRARY_PATH']}"
    return node.inside(layout, ["env", f"PATH={path}", f"LD_LIBRARY_PATH={libraries}", *command])


def _rules(layout: Layout) -> str:
    command = node.inside(layout, ["iptables-save", "--table", "filter"])
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd="/").stdout
