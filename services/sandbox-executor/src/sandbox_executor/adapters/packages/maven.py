"""Archives of Java from a Maven repository: first what is needed, whose every name is looked at, then just that."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from sandbox_executor.adapters.hosting.layout import site_entries
from sandbox_executor.adapters.packages.archive import measure
from sandbox_executor.adapters.packages.fetching import CannotBeHadError, Desk, Fetched
from sandbox_executor.domain.packages import Measured, Policy, PolicyError
from sandbox_executor.domain.requirements import (
    Package,
    RequirementError,
    check_maven_requirements,
    maven_name,
    maven_pinned,
)
from sandbox_executor.domain.texts import one_line
from sandbox_executor.errors import SandboxFaultError
from touchstone_runtime.telemetry import get_logger

_log = get_logger()
JGO_INSIDE = "/runtime/jgo"
# jgo, and what its resolver imports.
_DISTRIBUTIONS = (
    "jgo",
    "requests",
    "urllib3",
    "idna",
    "certifi",
    "charset-normalizer",
    "psutil",
    "semver",
    "tomli-w",
    "typing-extensions",
)
_PROGRAM = Path(__file__).with_name("maven_fetch.py").read_text()
_REFUSED = "touchstone-refused "
_AWAY = "touchstone-away"
_CLASSIFIER = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9_.-]{0,63})?")
# Of a name that is shown.
_LONGEST = 200
_MISSING = re.compile(r"touchstone-missing (\S+ \S+)|Artifact (\S+) not found|metadata for (\S+) from any")
_RULES = {
    "address": ("the repository sends us on to another server", "name the server that has the archives"),
    "kind": ("it is no archive of classes", "name one that is a jar"),
    "moves": ("a snapshot changes under its name", "choose a released version"),
    "digest": ("its archive is not the one that the repository names", "try again, or choose another version"),
    "unproved": ("the repository names no digest of its archive", "choose a version that has one"),
    "size": ("its archive is larger than 256 MiB", "choose another one"),
    "archive": ("its archive cannot be read", "choose another version"),
}


def jgo_binds() -> list[tuple[Path, str]]:
    """Where jgo lies outside, and inside a sandbox that fetches."""
    return [(path, f"{JGO_INSIDE}/{path.name}") for path in site_entries(_DISTRIBUTIONS)]


class Maven:
    """Fetches archives of classes; none of their code, and no plug-in of a build, runs.

    Args:
        variables: Those of the network (`network_variables`): certificates, proxies.
        repository: Address; empty for the one that jgo has.
        version: Java's first number.
    """

    language = "java"
    runtime = "java"
    check = staticmethod(check_maven_requirements)
    is_pinned = staticmethod(maven_pinned)

    def __init__(self, variables: Mapping[str, str], repository: str, version: int) -> None:
        self._variables = dict(variables)
        self._repository = repository
        self.interpreter = f"java-{version}"

    def name_of(self, requirement: str) -> str:
        """The archive that a checked requirement names, without its version."""
        return maven_name(requirement)

    def made_for(self, requirements: tuple[str, ...]) -> str:
        """The interpreter: nothing else tells environments of the same packages apart."""
        return self.interpreter

    def files(self, requirements: tuple[str, ...]) -> Mapping[str, bytes]:
        """What its program finds in the working folder: nothing."""
        return {}

    def fetch(self, desk: Desk, requirements: tuple[str, ...], policy: Policy, now: datetime) -> Fetched:
        """Find what is needed, look at its names, fetch it."""
        asked = ", ".join(requirements)
        locked = self._run(desk, asked, "lock", "lock.json", wanted=list(requirements))
        for each in locked:
            _check(each, asked)
            policy.check_name(self.language, str(each["name"]))
        if not locked:
            raise CannotBeHadError(f"{asked}: holds no archive of classes")
        if len(locked) > policy.most_packages:
            policy.check(self.language, {_package(each): Measured() for each in locked}, now)
        fetched = self._run(desk, asked, "fetch", "fetched.json", locked=locked)
        archive = desk.pack()
        sizes = measure(archive, {str(each["file"]): str(each["file"]) for each in fetched})
        lost = next((each for each in fetched if str(each["file"]) not in sizes), None)
        if lost is not None:
            raise SandboxFaultError(f"what jgo fetched is not there: {lost['name']}", thing=str(lost["file"]))
        found = {
            _package(each): Measured(
                sizes[str(each["file"])].size_bytes, bool(each["native"]), _moment(str(each["published"]))
            )
            for each in fetched
        }
        return Fetched(found, archive)

    def _run(self, desk: Desk, asked: str, step: str, answer: str, **question: Any) -> list[dict[str, Any]]:
        command = (desk.python, "-S", "-s", "-P", "-B", "-c", _PROGRAM, step)
        stdin = json.dumps({"repository": self._repository, **question}).encode()
        try:
            desk.run(command, {**self._variables, "PYTHONPATH": JGO_INSIDE}, "touchstone-", stdin)
        except CannotBeHadError as error:
            raise explain(f"touchstone-{error}", asked) from None
        try:
            found: list[dict[str, Any]] = json.loads(desk.bring(answer)[answer])
            return [dict(each) for each in found]
        except (ValueError, TypeError, RecursionError) as error:
            raise SandboxFaultError(f"what jgo found cannot be read: {error}", thing=answer) from error


def explain(words: str, asked: str) -> CannotBeHadError | PolicyError:
    """What jgo's words, or ours beside it, mean for the caller; theirs tell of addresses, and of who answers there."""
    at = words.find(_REFUSED)
    if at >= 0:
        try:
            kind, thing = json.JSONDecoder().raw_decode(words, at + len(_REFUSED))[0]
            # Not who answers at another address.
            return PolicyError(str(thing) if thing and kind != "address" else asked, *_RULES[kind])
        except (ValueError, TypeError, KeyError):
            return CannotBeHadError(f"{asked}: refused, and the words are cut")
    if _AWAY in words:
        return CannotBeHadError(f"{asked}: the repository does not answer now")
    missing = _MISSING.search(words)
    if missing is not None:
        return CannotBeHadError(f"{next(filter(None, missing.groups()))}: not in the repository")
    _log.warning("jgo_words_unknown", asked=asked, words=words)
    return CannotBeHadError(f"{asked}: cannot be had from the repository")


def _check(each: Mapping[str, Any], asked: str) -> None:
    """Prove that a lock's archive has the names of one: they make up addresses and paths, and a POM wrote them.

    Raises:
        CannotBeHadError: it has others.
    """
    name, classifier = str(each["name"]), str(each["classifier"])
    named = f"{name}:{each['version']}"
    try:
        check_maven_requirements((named,))
    except RequirementError:
        well = False
    else:
        well = maven_name(named) == name and named != name
    if not well or _CLASSIFIER.fullmatch(classifier) is None or ".." in classifier:
        shown = one_line(f"{named}:{classifier}" if classifier else named, _LONGEST)
        raise CannotBeHadError(f"{asked}: needs an archive whose name is none: {shown}")


def _package(each: Mapping[str, Any]) -> Package:
    suffix = f":{each['classifier']}" if each.get("classifier") else ""
    # Rules are about names, and whoever allows an archive allows each of its kinds.
    return Package(str(each["name"]), f"{each['version']}{suffix}", str(each.get("sha256", "")))


def _moment(text: str) -> datetime | None:
    moment = datetime.fromisoformat(text) if text else None
    return moment if moment is not None and moment.tzinfo is not None else None
