"""Programs of the node that come in packages of Debian: fetched, unpacked into the cache, and not installed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from touchstone_local.cluster.layout import Layout
from touchstone_local.errors import LocalError
from touchstone_local.settings import environment
from touchstone_runtime.building import build_once

# The container runtime, networks of pods, firewall rules of services, and what builds images.
PROGRAMS = (
    "containerd", "runc", "containernetworking-plugins", "conntrack", "iptables", "busybox-static", "buildah",
    "mmdebstrap",
)  # fmt: skip
# Libraries that these need and a small machine may lack.
LIBRARIES = (
    "libnftnl11", "libnftables1", "libip4tc2", "libip6tc2", "libnfnetlink0", "libnetfilter-conntrack3", "libmnl0",
    "libxtables12", "libjansson4", "libgpgme11", "libassuan0", "libseccomp2", "libdevmapper1.02.1",
    "golang-github-containers-common", "golang-github-containers-image",
)  # fmt: skip
_MULTIARCH = "x86_64-linux-gnu"


def ensure(layout: Layout, tell: Callable[[str], None]) -> Path:
    """Have the packages' files.

    Returns:
        The folder that they lie in as they would in /.

    Raises:
        LocalError: the machine has no apt, or a package cannot be had.
    """

    def fetch(folder: Path) -> None:
        _unpack(layout, (*PROGRAMS, *LIBRARIES), folder, tell)
        for name in ("iptables", "ip6tables"):
            for form in (name, f"{name}-save", f"{name}-restore"):
                link = folder / "usr/sbin" / form
                link.unlink(missing_ok=True)
                link.symlink_to("xtables-nft-multi")

    return build_once(layout.packages, fetch)


def ensure_more(layout: Layout, names: Sequence[str], tell: Callable[[str], None]) -> Path:
    """Have the files of packages that the node itself does not need, in a folder of their own.

    Raises:
        LocalError: the machine has no apt, or a package cannot be had.
    """
    place = layout.packages.with_name("-".join(["packages", *names]))
    return build_once(place, lambda folder: _unpack(layout, names, folder, tell))


def _unpack(layout: Layout, names: Sequence[str], folder: Path, tell: Callable[[str], None]) -> None:
    """Fetch packages and unpack them into a folder; the machine's own lists and packages stay as they are."""
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        raise LocalError(
            "this machine is not Debian's kin", thing="apt-get", way_out="run it on Debian 12 or name another machine"
        )
    scratch = layout.cache / "cluster" / "apt"
    for part in ("lists/partial", "archives/partial"):
        (scratch / part).mkdir(parents=True, exist_ok=True)
    options = [
        *("-o", f"Dir::State::lists={scratch / 'lists'}", "-o", f"Dir::Cache={scratch}"),
        *("-o", f"Dir::Cache::archives={scratch / 'archives'}", "-o", "APT::Sandbox::User=root"),
    ]
    tell("reading the package lists")
    _run(["apt-get", *options, "update", "-qq"], scratch)
    for old in scratch.glob("*.deb"):
        old.unlink()
    tell(f"{len(names)} packages: {', '.join(names[:8])} …")
    _run(["apt-get", *options, "download", "-qq", *names], scratch)
    archives = sorted(scratch.glob("*.deb"))
    for number, archive in enumerate(archives, start=1):
        tell(f"package {number} of {len(archives)}: {archive.name.partition('_')[0]}")
        _run(["dpkg-deb", "-x", str(archive), str(folder)], scratch)
        archive.unlink()


def variables(layout: Layout) -> dict[str, str]:
    """The environment in which the packages' programs find each other and their libraries."""
    root = layout.packages
    inside = [root / part for part in ("usr/sbin", "usr/bin", "sbin", "bin")]
    system = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
    return {
        **environment(),
        "PATH": ":".join([str(layout.programs), *map(str, inside), *system]),
        "LD_LIBRARY_PATH": f"{root}/usr/lib/{_MULTIARCH}:{root}/lib/{_MULTIARCH}",
        "XTABLES_LIBDIR": f"{root}/usr/lib/{_MULTIARCH}/xtables",
    }


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(
        command, cwd=folder, env=environment() | {"LC_ALL": "C"}, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise LocalError(
            done.stderr.strip()[-600:] or f"ended with code {done.returncode}",
            thing=" ".join(command[-2:]),
            way_out="run it again where packages of Debian can be fetched; what is done is kept",
        )
