"""Packages of JavaScript, fetched by npm: first a lock, whose every entry is looked at, then what the lock names."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sandbox_executor.adapters.packages.archive import measure
from sandbox_executor.adapters.packages.fetching import CannotBeHadError, Desk, Fetched
from sandbox_executor.domain.packages import Measured, Policy, PolicyError
from sandbox_executor.domain.requirements import Package, check_npm_requirements, npm_pinned, split_npm
from sandbox_executor.errors import SandboxFaultError
from touchstone_runtime.telemetry import get_logger

_log = get_logger()
NPM_INSIDE = "/runtime/npm"
_FOLDER = "environment"
_LOCK = f"{_FOLDER}/package-lock.json"
_INTEGRITY = re.compile(r"sha512-[A-Za-z0-9+/]{86}==")
_GUARD = Path(__file__).with_name("npm_guard.js").read_bytes()
_PROVING = Path(__file__).with_name("proving.py").read_text()
_WRONG = "wrong.json"
_REFUSED = "touchstone-refused "
_ONLY = "choose a version that needs packages of the registry only"
_RULES = {
    "address": "it needs a package from an address of its own and not from the registry",
    "shrinkwrap": "its archive brings npm-shrinkwrap.json, which would say by itself what is installed",
    "program": "fetching it would start a program",
}
# By npm's code of an error, and what of its words is a name.
_WORDS = {
    "E404": ("not in the registry", re.compile(r"'([^'\s/]+(?:/[^'\s/]+)?)' is not in this registry")),
    "ETARGET": ("No matching version found for", re.compile(r"No matching version found for (\S+?)[.,]?(?:[\s;]|$)")),
    "EINTEGRITY": ("the archive is not the one that the registry names (EINTEGRITY)", None),
    "ERESOLVE": ("the packages need versions of another that do not go together", None),
    "EBADPLATFORM": ("not for this kind of machine", None),
}
_CODE = re.compile(r"\bcode ([A-Z][A-Z0-9_]{1,30})\b")
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
    check = staticmethod(check_npm_requirements)
    is_pinned = staticmethod(npm_pinned)

    def __init__(self, node: str, version: int, variables: Mapping[str, str]) -> None:
        self._node = node
        self._variables = dict(variables)
        self.interpreter = f"node-{version}"

    def name_of(self, requirement: str) -> str:
        """The package that a checked requirement names."""
        return split_npm(requirement)[0]

    def made_for(self, requirements: tuple[str, ...]) -> str:
        """The interpreter: nothing else tells environments of the same packages apart."""
        return self.interpreter

    def files(self, requirements: tuple[str, ...]) -> Mapping[str, bytes]:
        """What npm finds in the working folder: a package that needs these."""
        wanted = dict(split_npm(requirement) for requirement in requirements)
        content = {"name": "environment", "version": "0.0.0", "private": True, "dependencies": wanted}
        return {f"{_FOLDER}/package.json": json.dumps(content).encode(), "guard.js": _GUARD}

    def fetch(self, desk: Desk, requirements: tuple[str, ...], policy: Policy, now: datetime) -> Fetched:
        """Lock, look at the lock, fetch what it names."""
        newest = policy.newest(now)
        # npm knows when versions were published, where the registry says it, and chooses among the older ones.
        before = () if newest is None else (f"--before={newest.isoformat()}",)
        asked = ", ".join(requirements)
        self._run(desk, policy, asked, "install", "--package-lock-only", *before)
        locked = read_lock(desk.bring(_LOCK)[_LOCK])
        for package in locked.values():
            policy.check_name(self.language, package.name)
        self._run(desk, policy, asked, "ci", *before)
        _prove(desk, locked)
        archive = desk.pack()
        return Fetched(installed(archive, locked), archive)

    def _run(self, desk: Desk, policy: Policy, asked: str, *command: str) -> None:
        try:
            desk.run(
                (
                    self._node, "--require", "/work/guard.js", "--use-system-ca", "--max-old-space-size=1024",
                    f"{NPM_INSIDE}/bin/npm-cli.js", *command,
                    "--prefix", f"/work/{_FOLDER}", "--cache", "/tmp/npm", "--logs-max=0", "--loglevel=error",
                    "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--omit=dev",
                    # So that an address in the lock can only be one that some package asked for by itself.
                    "--omit-lockfile-registry-resolved", "--git=/bin/false",
                ),
                {**self._variables, "TOUCHSTONE_NPM_GUARD": json.dumps(guarding(self._variables))},
                "npm error",
            )  # fmt: skip
        except CannotBeHadError as error:
            raise explain(str(error), asked, policy) from None


def guarding(variables: Mapping[str, str]) -> dict[str, Any]:
    """What `npm_guard.js` lets npm ask.

    Args:
        variables: npm's settings.

    Returns:
        Addresses of the configured registries, of the proxies, and whether npm's own registry is one.
    """
    addresses = {name.lower(): value for name, value in variables.items() if urlsplit(value).hostname}
    registries = [address for name, address in addresses.items() if name.endswith("registry")]
    return {
        "registries": registries,
        "standard": "npm_config_registry" not in addresses,
        "proxies": [address for address in addresses.values() if address not in registries],
    }


def explain(words: str, asked: str, policy: Policy) -> CannotBeHadError | PolicyError:
    """What npm's words mean, in ours: theirs tell callers of addresses, and of who answers there.

    Args:
        words: What npm printed.
        asked: What was asked for.
        policy: Names the rule where a version is too new.
    """
    at = words.find(_REFUSED)
    if at >= 0:
        kind, name, version = json.JSONDecoder().raw_decode(words, at + len(_REFUSED))[0]
        return PolicyError(f"{name} {version}".strip() or asked, _RULES[kind], _ONLY)
    too_new = _TOO_NEW.search(words)
    if too_new is not None:
        return policy.too_new(too_new[1].rstrip(".,"))
    found = _CODE.search(words)
    code = "" if found is None else found[1]
    if code not in _WORDS:
        _log.warning("npm_words_unknown", asked=asked, words=words)
    meaning, naming = _WORDS.get(code, (f"npm cannot have it{f' ({code})' if code else ''}", None))
    named = None if naming is None else naming.search(words)
    thing = asked if named is None else named[1]
    return CannotBeHadError(f"{meaning} {thing}" if code == "ETARGET" else f"{thing}: {meaning}")


def _prove(desk: Desk, locked: Mapping[str, Package]) -> None:
    """Prove that what was installed is what the archives of the lock hold.

    Raises:
        PolicyError: it is not.
    """
    proofs = {
        path: (package.name, package.version, base64.b64decode(package.integrity.removeprefix("sha512-")).hex())
        for path, package in locked.items()
        if package.integrity
    }
    command = (desk.python, "-S", "-s", "-P", "-B", "-c", _PROVING, f"/work/{_WRONG}")
    desk.run(command, {}, "OSError", json.dumps(proofs).encode())
    for path, why in json.loads(desk.bring(_WRONG)[_WRONG]):
        package = locked.get(path)
        thing = path[:200] if package is None else f"{package.name} {package.version}"
        raise PolicyError(thing, why, "choose another version or package")


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
    if entry.get("hasShrinkwrap"):
        raise PolicyError(thing, _RULES["shrinkwrap"], _ONLY)
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
