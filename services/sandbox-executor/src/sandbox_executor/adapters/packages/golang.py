"""Modules of Go, fetched and compiled by Go's own tool: none of their code runs, nor any tool of a version control."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from sandbox_executor.adapters.packages.archive import measure
from sandbox_executor.adapters.packages.fetching import CannotBeHadError, Desk, Fetched
from sandbox_executor.adapters.toolchains.runtimes import Runtime
from sandbox_executor.domain.packages import Measured, Policy
from sandbox_executor.domain.requirements import Package, check_go_requirements, go_path, go_pinned
from sandbox_executor.errors import SandboxFaultError
from touchstone_runtime.telemetry import get_logger

_log = get_logger()
_PROGRAM = Path(__file__).with_name("golang_fetch.py").read_text()
_ANSWER = "fetched.json"
_REFUSED = "touchstone-refused "
_RULES = {
    "proxy": "no mirror of modules is configured, and no other server is asked",
    "program": "it is a program and no package",
    "digest": "the mirror's files are not those that the checksum database names",
}
# Go's words, and what they mean for the caller; the words themselves tell of addresses, and of who answers there.
_WORDS = (
    (re.compile(r"verifying (\S+?): |SECURITY ERROR"), _RULES["digest"]),
    (re.compile(r"does not contain package (\S+)"), "no package of its module"),
    (re.compile(r"no required module provides package (\S+?)[;:]"), "no module has it"),
    (re.compile(r"(\S+?): invalid version: unknown revision"), "no such version"),
    (re.compile(r"requires go >= (\S+)"), "it needs a newer Go"),
    (re.compile(r"build constraints exclude all Go files"), "it has no Go files for this kind of machine without cgo"),
    (re.compile(r"\.go:\d+:\d+: "), "it does not compile"),
    (
        re.compile(
            r"resource temporarily unavailable|failed to create new OS thread|cannot allocate memory|signal: killed"
            r"|fatal error: |unexpected signal|touchstone-go: -\d"
        ),
        "the sandbox had no room to fetch it",
    ),
    (re.compile(r"404 Not Found|410 Gone|not found"), "not among the mirror's modules"),
    (re.compile(r"dial tcp|connection refused|no such host|timeout|50\d "), "the mirror does not answer now"),
)


class GoModules:
    """Fetches modules from a mirror, proves them by the checksum database, and compiles what is asked for of them.

    Args:
        runtime: The Go toolchain.
        variables: Go's settings: mirrors, certificates, proxies.
    """

    language = "go"
    runtime = "go"
    check = staticmethod(check_go_requirements)
    is_pinned = staticmethod(go_pinned)

    def __init__(self, runtime: Runtime, variables: Mapping[str, str]) -> None:
        self._program = runtime.inside
        self._root = runtime.root
        self._variables = dict(variables)
        # Compiled packages are of one version of the compiler.
        self.interpreter = runtime.version

    def name_of(self, requirement: str) -> str:
        """The import path that a checked requirement names."""
        return go_path(requirement)

    def made_for(self, requirements: tuple[str, ...]) -> str:
        """The compiler's version, and which packages of the modules are there compiled."""
        return " ".join((self.interpreter, *map(go_path, requirements)))

    def files(self, requirements: tuple[str, ...]) -> Mapping[str, bytes]:
        """What its program finds in the working folder: nothing."""
        return {}

    def fetch(self, desk: Desk, requirements: tuple[str, ...], policy: Policy, now: datetime) -> Fetched:
        """Choose versions, fetch, prove, look at the names, and compile."""
        asked = ", ".join(requirements)
        modules = self._run(desk, asked, "lock", requirements)
        for each in modules:
            policy.check_name(self.language, str(each["module"]))
        # Ages and numbers are known before anything is compiled.
        known = {_package(each): Measured(published=_moment(str(each["published"]))) for each in modules}
        policy.check(self.language, known, now)
        built = self._run(desk, asked, "build", requirements)
        archive = desk.pack()
        sizes = measure(archive, {str(each["file"]): str(each["module"]) for each in built})
        native = {str(each["module"]) for each in built if each["native"]}
        found = {
            package: Measured(
                sizes.get(package.name, Measured()).size_bytes, package.name in native, measured.published
            )
            for package, measured in known.items()
        }
        return Fetched(found, archive)

    def _run(self, desk: Desk, asked: str, step: str, requirements: tuple[str, ...]) -> list[dict[str, Any]]:
        command = (desk.python, "-S", "-s", "-P", "-B", "-c", _PROGRAM, step)
        variables = {**self._variables, "GOROOT": self._root}
        stdin = json.dumps({"go": self._program, "wanted": list(requirements)}).encode()
        try:
            desk.run(command, variables, "touchstone-", stdin)
        except CannotBeHadError as error:
            raise explain(f"touchstone-{error}", asked) from None
        try:
            found: list[dict[str, Any]] = json.loads(desk.bring(_ANSWER)[_ANSWER])
            return [dict(each) for each in found]
        except (ValueError, TypeError, RecursionError) as error:
            raise SandboxFaultError(f"what go found cannot be read: {error}", thing=_ANSWER) from error


def explain(words: str, asked: str) -> CannotBeHadError:
    """What go's words, or ours beside it, mean for the caller."""
    at = words.find(_REFUSED)
    if at >= 0:
        try:
            kind, thing = json.JSONDecoder().raw_decode(words, at + len(_REFUSED))[0]
            return CannotBeHadError(f"{thing or asked}: {_RULES[kind]}")
        except (ValueError, TypeError, KeyError):
            return CannotBeHadError(f"{asked}: refused, and the words are cut")
    meaning = next((meaning for pattern, meaning in _WORDS if pattern.search(words)), "")
    if not meaning:
        _log.warning("go_words_unknown", asked=asked, words=words)
    return CannotBeHadError(f"{asked}: {meaning or 'cannot be had from the mirror'}")


def _package(each: Mapping[str, Any]) -> Package:
    return Package(str(each["module"]), str(each["version"]), "", str(each["sum"]))


def _moment(text: str) -> datetime | None:
    moment = datetime.fromisoformat(text) if text else None
    return moment if moment is not None and moment.tzinfo is not None else None
