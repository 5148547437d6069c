"""Packages of JavaScript, fetched by npm: first a lock, whose every entry is looked at, then what the lock names."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sandbox_executor.adapters.packages.archive import measure
from sandbox_executor.adapters.packages.fetching import CannotBeHadError, Desk, Fetched
from sandbox_executor.domain.packages import Measured, Policy, PolicyError
from sandbox_executor.domain.requirements import Package, check_npm_requirements, npm_pinned, split_npm
from sandbox_executor.errors import SandboxFaultError

NPM_INSIDE = "/runtime/npm"
_FOLDER = "environment"
_LOCK = f"{_FOLDER}/package-lock.json"
_INTEGRITY = re.compile(r"sha512-[A-Za-z0-9+/]{86}==")
_TOO_NEW = re.compile(r"No matching version found for (\S+) with a date before")


class Npm:
    """Fetches packages of the npm registry; none of their scripts run.

    Args:
        node: The program's path inside.
        version: Node's first number, which packages with machine code are made for.
        variables: npm's settings: registry, certificates, proxies.
    """

    language = "javascript"
    runtime = "node"

    def __init__(self, node: str, version: int, variables: Mapping[str, str]) -> None:
        self._node = node
        self._variables = dict(variables)
        self.interpreter = f"node-{version}"

    def check(self, requirements: tuple[str, ...]) -> tuple[str, ...]:
        """Prove that each names a package of the registry, and bring them into one order."""
        return check_npm_requirements(requirements)

    def name_of(self, requirement: str) -> str:
        """The package that a checked requirement names."""
        return split_npm(requirement)[0]

    def is_pinned(self, requirements: tuple[str, ...]) -> bool:
        """Whether each names one version, so that asking again gives the same."""
        return npm_pinned(requirements)

    def files(self, requirements: tuple[str, ...]) -> Mapping[str, bytes]:
        """What npm finds in the working folder: a package that needs these."""
        wanted = dict(split_npm(requirement) for requirement in requirements)
        content = {"name": "environment", "version": "0.0.0", "private": True, "dependencies": wanted}
        return {f"{_FOLDER}/package.json": json.dumps(content).encode()}

    def fetch(self, desk: Desk, requirements: tuple[str, ...], policy: Policy, now: datetime) -> Fetched:
        """Lock, look at the lock, fetch what it names."""
        newest = policy.newest(now)
        # npm knows when versions were published, where the registry says it, and chooses among the older ones.
        before = () if newest is None else (f"--before={newest.isoformat()}",)
        try:
            self._run(desk, "install", "--package-lock-only", *before)
        except CannotBeHadError as error:
            found = _TOO_NEW.search(str(error))
            if found is None:
                raise
            raise policy.too_new(found[1].rstrip(".,")) from error
        locked = read_lock(desk.bring(_LOCK)[_LOCK])
        for package in locked.values():
            policy.check_name(self.language, package.name)
        self._run(desk, "ci")
        archive = desk.pack()
        return Fetched(installed(archive, locked), archive)

    def _run(self, desk: Desk, *command: str) -> None:
        desk.run(
            (
                self._node, "--use-system-ca", "--max-old-space-size=1024", f"{NPM_INSIDE}/bin/npm-cli.js", *command,
                "--prefix", f"/work/{_FOLDER}", "--cache", "/tmp/npm", "--logs-max=0", "--loglevel=error",
                "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--omit=dev",
                # So that an address in the lock can only be one that some package asked for by itself.
                "--omit-lockfile-registry-resolved", "--git=/bin/false",
            ),
            self._variables,
            "npm error",
        )  # fmt: skip


def read_lock(data: bytes) -> dict[str, Package]:
    """The packages of a lock by their folders; one that comes inside of another's archive has no integrity of its own.

    Raises:
        PolicyError: a package comes from elsewhere than the registry, or nothing proves what its archive holds.
        SandboxFaultError: it is no lock.
    """
    try:
        lock = json.loads(data)
        entries: dict[str, dict[str, Any]] = lock["packages"]
        if lock["lockfileVersion"] != 3:
            raise ValueError(f"version {lock['lockfileVersion']}")
        return {path: _package(path, entry) for path, entry in entries.items() if path}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, PolicyError):
            raise
        raise SandboxFaultError(f"npm's lock cannot be read: {error}", thing=_LOCK) from error


def _package(path: str, entry: Mapping[str, Any]) -> Package:
    name = str(entry.get("name") or path.rpartition("node_modules/")[2])
    version = str(entry.get("version", ""))
    thing = f"{name} {version}".strip()
    if entry.get("inBundle"):
        return Package(name, version, "")
    if entry.get("link") or "resolved" in entry or not path.startswith("node_modules/"):
        raise PolicyError(
            thing, "it is fetched from an address of its own and not from the registry",
            "choose a version that needs packages of the registry only",
        )  # fmt: skip
    integrity = str(entry.get("integrity", "")).split()
    strong = next((text for text in integrity if _INTEGRITY.fullmatch(text)), "")
    if not strong:
        raise PolicyError(thing, "the registry names no SHA-512 of its archive", "choose a version that has one")
    return Package(name, version, "", strong)


def installed(archive: bytes, locked: Mapping[str, Package]) -> dict[Package, Measured]:
    """What is in an environment: of the lock's packages those that this kind of machine needs."""
    measured = measure(archive, {path: path for path in locked})
    found: dict[Package, Measured] = {}
    for path, package in locked.items():
        if path not in measured:
            continue
        one, other = measured[path], found.get(package, Measured())
        found[package] = Measured(one.size_bytes + other.size_bytes, one.native or other.native)
    return found
