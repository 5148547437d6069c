"""Prepared dependencies: what may be asked for, and what a set of packages is called."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement

MOST_REQUIREMENTS = 50
# A name, extras, a range of versions and a marker take a fraction of this; a program that installs would choke on more.
MOST_CHARACTERS = 300


class RequirementError(ValueError):
    """A requirement cannot be taken; the words name it."""


@dataclass(frozen=True, order=True)
class Package:
    """One wheel that was installed."""

    name: str
    version: str
    sha256: str


@dataclass(frozen=True)
class Prepared:
    """The answer to a request; `detail` says why it is not ready."""

    ready: bool
    environment_id: str = ""
    packages: tuple[Package, ...] = ()
    detail: str = ""


def check_requirements(requirements: tuple[str, ...]) -> tuple[str, ...]:
    """Prove that each names a package of the index, and bring them into one order.

    Raises:
        RequirementError: one does not.
    """
    if not 0 < len(requirements) <= MOST_REQUIREMENTS:
        raise RequirementError(f"between 1 and {MOST_REQUIREMENTS} requirements, not {len(requirements)}")
    found: list[str] = []
    for text in requirements:
        if len(text) > MOST_CHARACTERS:
            raise RequirementError(f"{text[:100]!r}... is a requirement of {len(text)} characters")
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


def environment_id(packages: tuple[Package, ...], interpreter: str) -> str:
    """The name of an environment: a hash of what is in it."""
    text = "\n".join([interpreter, *(f"{p.name}=={p.version}:{p.sha256}" for p in sorted(packages))])
    return hashlib.sha256(text.encode()).hexdigest()[:32]
