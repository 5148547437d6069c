"""Prepared dependencies: what may be asked for, and what a set of packages is called."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement

from sandbox_executor.domain.texts import one_line

MOST_REQUIREMENTS = 50
# A name, extras, a range of versions and a marker take a fraction of this; a program that installs would choke on more.
MOST_CHARACTERS = 300
# Of why an environment is not ready.
_DETAIL = 1500

# Names of the npm registry: perhaps a scope, then letters, digits and a few signs.
_NPM_NAME = re.compile(r"(?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*", re.IGNORECASE)
# Versions and ranges; nothing that could be an address, a folder, another package or a tag that moves.
_PART = r"(?:0|[1-9][0-9]{0,14}|[xX*])"
_LABEL = r"(?:0|[1-9][0-9]{0,14}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_VERSION = (
    rf"v?{_PART}(?:\.{_PART}(?:\.{_PART}(?:-{_LABEL}(?:\.{_LABEL})*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)?)?"
)
_COMPARED = rf"(?:\^|~>?|[<>]=?|=)? *{_VERSION}"
_BOTH = rf"(?:{_VERSION} +- +{_VERSION}|{_COMPARED}(?: +{_COMPARED})*)"
_NPM_RANGE = re.compile(rf"{_BOTH}(?: *\|\| *{_BOTH})*")
_NPM_EXACT = re.compile(r"\d+\.\d+\.\d+(?:-[\w.-]+)?(?:\+[\w.-]+)?")
# What no hexadecimal name begins with, so that the name of an environment says whose packages it holds.
_PREFIXES = {"node": "js", "java": "jv", "go": "go"}
# Group and archive of a Maven repository, and one version; no ranges, and no words that mean a version that moves.
_MAVEN_PART = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
_MAVEN_NAME = re.compile(rf"{_MAVEN_PART}:{_MAVEN_PART}")
_MAVEN_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,63}")
_MOVING = ("latest", "release", "managed")
# Import paths of Go that begin with a server's name, and released versions; no branches, queries or addresses.
_GO_STEP = r"[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,99}"
_GO_PATH = re.compile(rf"[A-Za-z0-9][A-Za-z0-9-]{{0,62}}(?:\.[A-Za-z0-9-]{{1,63}})+(?:/{_GO_STEP})*")
_GO_VERSION = re.compile(r"v\d{1,9}\.\d{1,9}\.\d{1,19}(?:-[0-9A-Za-z.-]{1,99})?(?:\+incompatible)?")


class RequirementError(ValueError):
    """A requirement cannot be taken; the words name it."""


@dataclass(frozen=True, order=True)
class Package:
    """One package that was installed.

    Attributes:
        name: As its index writes it.
        version: The one that was chosen.
        sha256: Of the wheel or the archive of Java, hexadecimal; empty for a package of npm and a module of Go.
        integrity: Of the archive, as npm's lock names it (`sha512-` and base64), or of a module's files, as `go.sum`
            does (`h1:` and base64); empty for all else.
    """

    name: str
    version: str
    sha256: str
    integrity: str = ""


@dataclass(frozen=True)
class Prepared:
    """The answer to a request; `detail` says why it is not ready."""

    ready: bool
    environment_id: str = ""
    packages: tuple[Package, ...] = ()
    detail: str = ""

    def __post_init__(self) -> None:
        """Clean what programs that fetch said here, once."""
        object.__setattr__(self, "detail", one_line(self.detail, _DETAIL))


def check_requirements(requirements: tuple[str, ...]) -> tuple[str, ...]:
    """Prove that each names a package of the index, and bring them into one order.

    Raises:
        RequirementError: one does not.
    """
    _check_size(requirements)
    found: list[str] = []
    for text in requirements:
        try:
            requirement = Requirement(text)
        except InvalidRequirement as error:
            raise RequirementError(f"{text[:100]!r} is not a requirement: {str(error).splitlines()[0]}") from None
        if requirement.url is not None:
            raise RequirementError(f"{requirement.name}: only packages of the index are taken, no addresses")
        found.append(str(requirement))
    return tuple(sorted(set(found)))


def is_pinned(requirements: tuple[str, ...]) -> bool:
    """Whether every requirement names one version, so that asking again gives the same."""
    return all(
        any(
            specifier.operator in ("==", "===") and "*" not in specifier.version
            for specifier in Requirement(x).specifier
        )
        for x in requirements
    )


def check_npm_requirements(requirements: tuple[str, ...]) -> tuple[str, ...]:
    """Prove that each names a package of the npm registry, as `name`, `name@1.2.3` or `name@range`; in one order.

    Raises:
        RequirementError: one does not, or two name the same package.
    """
    _check_size(requirements)
    found: dict[str, str] = {}
    for text in requirements:
        name, version = split_npm(text)
        if len(name) > 214 or _NPM_NAME.fullmatch(name) is None:
            raise RequirementError(f"{text[:100]!r} names no package of the registry; write name or name@version")
        if _NPM_RANGE.fullmatch(version) is None:
            raise RequirementError(
                f"{text[:100]!r}: {version[:60]!r} is no version and no range; no addresses, tags or aliases are taken"
            )
        if found.setdefault(name, version) != version:
            raise RequirementError(f"{name} is asked for as {found[name]} and as {version}")
    return tuple(f"{name}@{version}" for name, version in sorted(found.items()))


def split_npm(requirement: str) -> tuple[str, str]:
    """Name and version of `name@version`; any version where there is none."""
    at = requirement.find("@", 1)
    return (requirement[:at], requirement[at + 1 :].strip()) if at > 0 else (requirement, "*")


def npm_pinned(requirements: tuple[str, ...]) -> bool:
    """Whether every requirement names one version."""
    return all(_NPM_EXACT.fullmatch(split_npm(text)[1]) for text in requirements)


def check_maven_requirements(requirements: tuple[str, ...]) -> tuple[str, ...]:
    """Prove that each names an archive of a Maven repository, as `group:archive` or `group:archive:version`.

    Raises:
        RequirementError: one does not, or two name the same archive.
    """
    _check_size(requirements)
    found: dict[str, str] = {}
    for text in requirements:
        name = maven_name(text)
        version = text[len(name) + 1 :]
        if _MAVEN_NAME.fullmatch(name) is None or ".." in name or (text != name and not version):
            raise RequirementError(f"{text[:100]!r} names no archive; write group:archive or group:archive:version")
        moves = version.lower() in _MOVING or version.upper().endswith("-SNAPSHOT")
        if version and (_MAVEN_VERSION.fullmatch(version) is None or ".." in version or moves):
            raise RequirementError(f"{text[:100]!r}: {version[:60]!r} is no released version; no ranges are taken")
        if found.setdefault(name, version) != version:
            raise RequirementError(f"{name} is asked for as {found[name] or 'any'} and as {version or 'any'}")
    return tuple(f"{name}:{version}" if version else name for name, version in sorted(found.items()))


def maven_name(requirement: str) -> str:
    """Group and archive of a requirement."""
    return ":".join(requirement.split(":", 2)[:2])


def maven_pinned(requirements: tuple[str, ...]) -> bool:
    """Whether every requirement names one version."""
    return all(text.count(":") == 2 for text in requirements)


def check_go_requirements(requirements: tuple[str, ...]) -> tuple[str, ...]:
    """Prove that each names a package of a Go module, as `path` or `path@v1.2.3`; in one order.

    Raises:
        RequirementError: one does not, or two name the same package.
    """
    _check_size(requirements)
    found: dict[str, str] = {}
    for text in requirements:
        path, at, version = text.partition("@")
        if _GO_PATH.fullmatch(path) is None or ".." in path:
            raise RequirementError(f"{text[:100]!r} names no package of a module; write path or path@v1.2.3")
        if at and _GO_VERSION.fullmatch(version) is None:
            raise RequirementError(f"{text[:100]!r}: {version[:60]!r} is no released version; no queries are taken")
        if found.setdefault(path, version) != version:
            raise RequirementError(f"{path} is asked for as {found[path] or 'any'} and as {version or 'any'}")
    return tuple(f"{path}@{version}" if version else path for path, version in sorted(found.items()))


def go_path(requirement: str) -> str:
    """The import path of a requirement."""
    return requirement.partition("@")[0]


def go_pinned(requirements: tuple[str, ...]) -> bool:
    """Whether every requirement names one version."""
    return all("@" in text for text in requirements)


def _check_size(requirements: tuple[str, ...]) -> None:
    if not 0 < len(requirements) <= MOST_REQUIREMENTS:
        raise RequirementError(f"between 1 and {MOST_REQUIREMENTS} requirements, not {len(requirements)}")
    for text in requirements:
        if len(text) > MOST_CHARACTERS:
            raise RequirementError(f"{text[:100]!r}... is a requirement of {len(text)} characters")


def environment_id(packages: tuple[Package, ...], interpreter: str, runtime: str = "python") -> str:
    """The name of an environment: a hash of what is in it, which says whose packages they are."""
    text = "\n".join([interpreter, *(f"{p.name}=={p.version}:{p.sha256 or p.integrity}" for p in sorted(packages))])
    return (_PREFIXES.get(runtime, "") + hashlib.sha256(text.encode()).hexdigest())[:32]


def runtime_of(environment_id: str) -> str:
    """Which runtime finds the packages of an environment: `node`, `java` or `python`."""
    return next((name for name, prefix in _PREFIXES.items() if environment_id.startswith(prefix)), "python")
