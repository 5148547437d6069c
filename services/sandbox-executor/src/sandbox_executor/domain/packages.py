"""What packages may be prepared: the operator's rules, and how a refusal reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from fnmatch import fnmatchcase

from packaging.utils import canonicalize_name

from sandbox_executor.domain.requirements import Package, RequirementError
from sandbox_executor.domain.texts import one_line

_MIB = 1024 * 1024
_LONGEST_NAME = 300
_SCOPES = ("python", "javascript", "java", "go")
# The prefix of every setting that a refusal names.
SETTING = "TOUCHSTONE_SANDBOX_PACKAGES_"


class PolicyError(RequirementError):
    """A package is not allowed.

    Attributes:
        thing: The package.
        way_out: What a person can do.
    """

    def __init__(self, thing: str, rule: str, way_out: str) -> None:
        # An index, or an archive, named it.
        thing = one_line(thing, _LONGEST_NAME)
        super().__init__(f"{thing}: {rule} ({way_out})")
        self.thing = thing
        self.rule = rule
        self.way_out = way_out


@dataclass(frozen=True)
class Measured:
    """What a package is, once it is fetched.

    Attributes:
        size_bytes: Of all its files, unpacked.
        native: Whether it holds programs or libraries of machine code.
        published: When its archive was published, with a time zone; None when the index does not say.
    """

    size_bytes: int = 0
    native: bool = False
    published: datetime | None = None


@dataclass(frozen=True)
class Policy:
    """The operator's rules; they hold for every package of an environment, asked for or needed by another.

    Names are patterns (`types-*`), perhaps after a language (`javascript:left-pad`). One of a Go module is one of all
    that lies beneath it, too.

    Attributes:
        allowed: Only these; empty for all.
        denied: Not these, whatever is allowed.
        most_packages: Of one environment.
        most_bytes: Of one environment, unpacked.
        least_age_days: Days since a package was published, where that is known; 0 for any.
        native: Whether packages may bring machine code.
    """

    allowed: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    most_packages: int = 200
    most_bytes: int = 512 * _MIB
    least_age_days: float = 0.0
    native: bool = True

    def newest(self, now: datetime) -> datetime | None:
        """The moment before which a package must have been published; None when any will do."""
        return now - timedelta(days=self.least_age_days) if self.least_age_days else None

    def check_name(self, language: str, name: str) -> None:
        """Prove that a package may be there by its name.

        Raises:
            PolicyError: it may not.
        """
        rule = next((pattern for pattern in self.denied if _matches(pattern, language, name)), "")
        if rule:
            raise PolicyError(
                name, f"denied by the rule {rule!r}",
                f"choose another package, or have the operator change {SETTING}DENIED",
            )  # fmt: skip
        if self.allowed and not any(_matches(pattern, language, name) for pattern in self.allowed):
            raise PolicyError(
                name, "not among the packages that are allowed", f"have the operator add it to {SETTING}ALLOWED"
            )

    def check(self, language: str, packages: Mapping[Package, Measured], now: datetime) -> None:
        """Prove that these may make up an environment.

        Raises:
            PolicyError: one of them, or all together, may not.
        """
        for package in packages:
            self.check_name(language, package.name)
        if len(packages) > self.most_packages:
            last = max(packages)
            raise PolicyError(
                f"{last.name} {last.version}",
                f"one of {len(packages)} packages, of which an environment may have {self.most_packages}",
                f"ask for fewer, or have the operator raise {SETTING}MOST",
            )
        size = sum(measured.size_bytes for measured in packages.values())
        if size > self.most_bytes:
            largest = max(packages, key=lambda package: packages[package].size_bytes)
            raise PolicyError(
                f"{largest.name} {largest.version}",
                f"with {packages[largest].size_bytes} bytes the largest of {size} in all; an environment may have "
                f"{self.most_bytes}",
                f"ask for fewer or smaller ones, or have the operator raise {SETTING}BYTES",
            )
        newest = self.newest(now)
        for package, measured in packages.items():
            thing = f"{package.name} {package.version}"
            if measured.native and not self.native:
                raise PolicyError(
                    thing, "it brings machine code, which is not allowed",
                    f"choose one without, or have the operator set {SETTING}NATIVE",
                )  # fmt: skip
            if newest is not None and measured.published is not None and measured.published > newest:
                raise self.too_new(thing)

    def too_new(self, thing: str) -> PolicyError:
        """What is said of a package that was published too short a time ago."""
        return PolicyError(
            thing, f"published less than {self.least_age_days:g} days ago",
            f"ask for an earlier version, or have the operator lower {SETTING}AGE_DAYS",
        )  # fmt: skip


def parse_names(text: str) -> tuple[str, ...]:
    """The patterns of a setting, with commas or white space between."""
    return tuple(text.replace(",", " ").split())


def _matches(pattern: str, language: str, name: str) -> bool:
    scope, _, rest = pattern.partition(":")
    # Names of Java have a colon of their own.
    scoped = scope in _SCOPES
    if scoped and scope != language:
        return False
    wanted = rest if scoped else pattern
    if language == "python":
        # Dashes, dots, underscores and capitals make no other package; the pattern's own signs stay.
        wanted = wanted.lower().replace("_", "-").replace(".", "-")
        return fnmatchcase(canonicalize_name(name), wanted)
    if language == "go":
        steps = name.lower().split("/")
        return any(fnmatchcase("/".join(steps[: number + 1]), wanted.lower()) for number in range(len(steps)))
    return fnmatchcase(name.lower(), wanted.lower())
