"""Definitions of other projects' custom resources, by which ours are checked; from their Go modules, once a machine."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from touchstone_local import go_programs
from touchstone_local.errors import LocalError
from touchstone_local.settings import environment
from touchstone_runtime.building import build_once, go_variables


@dataclass(frozen=True)
class Source:
    """A module, and the files of it that are wanted.

    Attributes:
        module: Its path.
        version: Its version.
        checksum: Of its content, as `go.sum` has it.
        folder: Where its definitions lie.
        files: Their names; one in a folder below is taken under its name with "_" for each "/".
    """

    module: str
    version: str
    checksum: str
    folder: str
    files: tuple[str, ...]


SOURCES = (
    Source(
        "sigs.k8s.io/gateway-api",
        "v1.4.1",
        "h1:NPxFutNkKNa8UfLd2CMlEuhIPMQgDQ6DXNKG9sHbJU8=",
        "config/crd/standard",
        tuple(f"gateway.networking.k8s.io_{kind}.yaml" for kind in ("grpcroutes", "httproutes", "backendtlspolicies")),
    ),
    Source(
        "github.com/cloudnative-pg/cloudnative-pg",
        "v1.27.0",
        "h1:mp0zlYO4vKAJmQdArWORWKr1lmB4Hj8JeBQGX5RBnpg=",
        "config/crd/bases",
        ("postgresql.cnpg.io_clusters.yaml", "postgresql.cnpg.io_databases.yaml"),
    ),
    Source(
        "github.com/kedacore/keda/v2",
        "v2.18.0",
        "h1:ttR223fii/4QJ0YvtrhcWHaEoezByb/t5CeFopjl6EI=",
        "config/crd/bases",
        ("keda.sh_scaledobjects.yaml", "keda.sh_triggerauthentications.yaml"),
    ),
)
Tell = Callable[[str], None]


def folder(cache: Path) -> Path:
    """Where the definitions lie, or will lie."""
    versions = "-".join(source.version for source in SOURCES)
    return cache.resolve() / f"custom-resources-{versions}"


def find(cache: Path) -> Path | None:
    """The folder of definitions, if it is here."""
    return folder(cache) if folder(cache).is_dir() else None


def ensure(cache: Path, tell: Tell) -> Path:
    """Have the definitions; 20 MB are fetched where they are not here.

    Raises:
        LocalError: a module cannot be had, or is not what it was.
    """
    return build_once(folder(cache), lambda target: take(SOURCES, target, tell))


def take(sources: Sequence[Source], target: Path, tell: Tell) -> None:
    """Copy the wanted files of modules into a folder.

    Raises:
        LocalError: a module cannot be had, or is not what it was.
    """
    with tempfile.TemporaryDirectory() as scratch:
        # What Go keeps of modules may not be written to, and so not be removed, unless it is told.
        variables = environment() | go_variables(Path(scratch)) | {"GOFLAGS": "-modcacherw"}
        for source in sources:
            tell(source.module)
            taken = _download(source, Path(scratch), variables)
            for name in source.files:
                shutil.copyfile(taken / source.folder / name, target / name.replace("/", "_"))


def take_whole(module: str, version: str, checksum: str, target: Path, tell: Tell) -> None:
    """Copy a module's content into a folder that is not there yet; its files can be written to.

    Args:
        module: Its path.
        version: Its version.
        checksum: Of its content, as `go.sum` has it.
        target: The folder.
        tell: Told what is fetched.

    Raises:
        LocalError: it cannot be had, or is not what it was.
    """
    with tempfile.TemporaryDirectory() as scratch:
        tell(module)
        variables = environment() | go_variables(Path(scratch)) | {"GOFLAGS": "-modcacherw"}
        shutil.copytree(_download(Source(module, version, checksum, "", ()), Path(scratch), variables), target)
        for path in (target, *target.rglob("*")):
            path.chmod(path.stat().st_mode | stat.S_IWUSR)


def _download(source: Source, scratch: Path, variables: dict[str, str]) -> Path:
    """The folder of a module's content, of which it is made sure that it is what it was."""
    command = [str(go_programs.toolchain()), "mod", "download", "-json", f"{source.module}@{source.version}"]
    done = subprocess.run(command, cwd=scratch, env=variables, capture_output=True, text=True, check=False)
    try:
        told = json.loads(done.stdout)
    except ValueError:
        told = {"Error": done.stderr.strip()}
    if told.get("Error") or done.returncode != 0:
        raise LocalError(
            f"cannot be fetched: {told.get('Error', done.stderr.strip())[:500]}",
            thing=f"{source.module}@{source.version}",
            way_out="is the network there? GOPROXY names another source",
        )
    if told["Sum"] != source.checksum:
        raise LocalError(
            f"its content has the checksum {told['Sum']} in place of {source.checksum}",
            thing=f"{source.module}@{source.version}",
            way_out="it is not what was looked at: take it from elsewhere",
        )
    return Path(told["Dir"])
