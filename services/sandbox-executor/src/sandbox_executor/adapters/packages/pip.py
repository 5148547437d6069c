"""Packages of Python: wheels only, fetched by pip."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from packaging.requirements import Requirement

from sandbox_executor.adapters.packages.archive import measure, members
from sandbox_executor.adapters.packages.fetching import CannotBeHadError, Desk, Fetched
from sandbox_executor.domain.packages import Measured, Policy, PolicyError
from sandbox_executor.domain.requirements import Package, check_requirements, is_pinned
from sandbox_executor.errors import JobRefusedError, SandboxFaultError

PIP_INSIDE = "/runtime/pip"
_REPORT = "report.json"
_DATES = "dates.json"
_ADDRESS = re.compile(r"touchstone-address ([A-Za-z0-9._-]{1,200})")
# pip follows a requirement to whatever address it has, and builds what it finds there, wheels alone or not. So pip runs
# where no requirement may have an address, whoever's it is, and where nothing can start a program, as every build does.
_GUARDED = """
import os, runpy, sys
def refuse(event, details):
    if event in ("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "pty.spawn", "subprocess.Popen"):
        raise PermissionError(event)
sys.addaudithook(refuse)
from pip._vendor.packaging.requirements import Requirement
read = Requirement.__init__
def checked(self, text):
    read(self, text)
    if self.url is not None:
        os.write(2, f"\\nERROR: touchstone-address {self.name}\\n".encode())
        os._exit(1)
Requirement.__init__ = checked
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""
# Asks the index when the wheels of the report were published; what it does not say stays unknown.
_ASK_DATES = """
import json, os, sys, urllib.request
from pip._internal.models.index import PyPI
report = json.load(open("/work/report.json"))
indexes = [os.environ.get("PIP_INDEX_URL") or PyPI.simple_url, *os.environ.get("PIP_EXTRA_INDEX_URL", "").split()]
found = {}
for item in report["install"]:
    name, url = item["metadata"]["name"], item["download_info"]["url"]
    for index in indexes:
        page = f"{index.rstrip('/')}/{name.lower().replace('_', '-').replace('.', '-')}/"
        asked = urllib.request.Request(page, headers={"Accept": "application/vnd.pypi.simple.v1+json"})
        try:
            with urllib.request.urlopen(asked, timeout=30) as answer:
                files = json.loads(answer.read(64 << 20))["files"]
        except Exception as error:
            print(f"{name}: {error}", file=sys.stderr)
            continue
        wheel = url.rsplit("/", 1)[-1].split("#")[0]
        times = [file.get("upload-time") for file in files if file.get("filename") == wheel]
        if times and times[0]:
            found[name] = times[0]
            break
json.dump(found, open("/work/dates.json", "w"))
"""


class Pip:
    """Fetches wheels.

    Args:
        variables: pip's settings, with those of the network (`network_variables`): index, certificates, proxies.
    """

    language = "python"
    runtime = "python"
    check = staticmethod(check_requirements)
    is_pinned = staticmethod(is_pinned)

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = dict(variables)
        self.interpreter = f"{sys.implementation.cache_tag}"

    def name_of(self, requirement: str) -> str:
        """The package that a checked requirement names."""
        return Requirement(requirement).name

    def made_for(self, requirements: tuple[str, ...]) -> str:
        """The interpreter: nothing else tells environments of the same packages apart."""
        return self.interpreter

    def files(self, requirements: tuple[str, ...]) -> Mapping[str, bytes]:
        """What its program finds in the working folder: nothing."""
        return {}

    def fetch(self, desk: Desk, requirements: tuple[str, ...], policy: Policy, now: datetime) -> Fetched:
        """Fetch them with all that they need; wheels are unpacked and none of their code is run."""
        python = (desk.python, "-S", "-s", "-P", "-B")
        variables = {**self._variables, "PYTHONPATH": pip_path(), "PIP_CONFIG_FILE": os.devnull}
        install = (
            "-c", _GUARDED, "install", "--only-binary=:all:", "--no-compile", "--no-cache-dir", "--no-input",
            "--disable-pip-version-check", "--no-warn-script-location", "--quiet", "--report", f"/work/{_REPORT}",
            "--target", "/work/environment", "--", *requirements,
        )  # fmt: skip
        try:
            desk.run((*python, *install), variables, "ERROR")
        except CannotBeHadError as error:
            found = _ADDRESS.search(str(error))
            if found is None:
                raise
            raise _addressed(found[1]) from None
        dates: dict[str, datetime] = {}
        if policy.newest(now) is not None:
            desk.run((*python, "-c", _ASK_DATES), variables, "ERROR")
            dates = read_dates(desk.bring(_DATES)[_DATES])
        archive = desk.pack()
        packages = read_report(desk.bring(_REPORT)[_REPORT])
        measured = measure(archive, read_records(archive))
        return Fetched(
            {
                package: replace(measured.get(_key(package.name), Measured()), published=dates.get(package.name))
                for package in packages
            },
            archive,
        )


def find_pip() -> Path:
    """The folder of pip, or the wheel of it that comes with Python.

    Raises:
        JobRefusedError: there is neither.
    """
    spec = importlib.util.find_spec("pip")
    if spec is not None and spec.origin is not None:
        return Path(spec.origin).parent
    bundled = importlib.util.find_spec("ensurepip")
    if bundled is not None and bundled.origin is not None:
        for wheel in (Path(bundled.origin).parent / "_bundled").glob("pip-*.whl"):
            return wheel
    raise JobRefusedError("pip is not installed", thing="pip", way_out="python -m ensurepip")


def pip_bind() -> tuple[Path, str]:
    """Where pip is outside and inside."""
    pip = find_pip()
    return pip, f"{PIP_INSIDE}/{pip.name}"


def pip_path() -> str:
    """What Python's path must hold inside, so that pip is found."""
    pip = find_pip()
    return f"{PIP_INSIDE}/{pip.name}" if pip.suffix == ".whl" else PIP_INSIDE


def read_report(data: bytes) -> tuple[Package, ...]:
    """The packages of pip's report, with the hashes of their wheels.

    Raises:
        PolicyError: a package is no wheel of the index.
        SandboxFaultError: it is no such report.
    """
    try:
        report: dict[str, Any] = json.loads(data)
        for item in report["install"]:
            wheel = str(item["download_info"]["url"]).partition("#")[0].endswith(".whl")
            # What pip was asked not to do, from pip's own account of what it did.
            if item["is_direct"] or not wheel:
                raise _addressed(str(item["metadata"]["name"]))
        packages = [
            Package(
                str(item["metadata"]["name"]),
                str(item["metadata"]["version"]),
                str(item["download_info"]["archive_info"]["hashes"]["sha256"]),
            )
            for item in report["install"]
        ]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, PolicyError):
            raise
        raise SandboxFaultError(f"pip's report cannot be read: {error}", thing=_REPORT) from error
    return tuple(sorted(packages))


def _addressed(name: str) -> PolicyError:
    return PolicyError(
        name, "another package needs it from an address of its own and not from the index",
        "choose a version that needs packages of the index only",
    )  # fmt: skip


def read_dates(data: bytes) -> dict[str, datetime]:
    """When wheels were published, by package; what is no moment with a zone is left out."""
    try:
        texts: dict[str, Any] = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SandboxFaultError(f"the dates cannot be read: {error}", thing=_DATES) from error
    found: dict[str, datetime] = {}
    for name, text in texts.items():
        try:
            moment = datetime.fromisoformat(str(text))
        except ValueError:
            continue
        if moment.tzinfo is not None:
            found[name] = moment
    return found


def read_records(archive: bytes) -> dict[str, str]:
    """Whose each installed file is, by what the wheels say of themselves."""
    owners: dict[str, str] = {}
    for path, content in members(archive, ".dist-info/RECORD").items():
        folder = PurePosixPath(path).parent
        owner = _key(folder.name.split("-", 1)[0])
        rows = csv.reader(io.StringIO(content.decode("utf-8", "replace")))
        owners |= {str(PurePosixPath(row[0])): owner for row in rows if row and ".." not in row[0]}
        owners[str(folder)] = owner
    return owners


def _key(name: str) -> str:
    return name.lower().replace("-", "_").replace(".", "_")
