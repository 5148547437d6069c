"""Which names outside a job may reach: none, unless it asks for them and the operator allows them to its caller."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from sandbox_executor.domain.paths import JobError
from sandbox_executor.domain.texts import one_line

SETTING = "TOUCHSTONE_SANDBOX_EGRESS"
# Where the relay listens, as a job sees it.
PORT = 3128
MOST_NAMES = 20
# Characters of a refusal's target, and of its reason.
MOST_WORDS = 200
# Of one part of a name, between dots; none is empty.
_LABEL = 63
# Whoever calls.
ANYBODY = "*"
_NAME = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\]):([0-9]{1,5})")
_PATTERN = re.compile(r"([A-Za-z0-9*?._:\[\]-]{1,255}):([0-9]{1,5}|\*)")
# Forms of IPv6 that carry an address of IPv4, and how many bits behind it.
_CARRIERS = ((ipaddress.ip_network("64:ff9b::/96"), 0), (ipaddress.ip_network("2002::/16"), 80))
# Not anybody's host, by the registries of special-purpose addresses (RFC 6890 and those that update it), and addresses
# of clouds' own services: kept here, since what the library calls global changes with its version.
_SPECIAL = tuple(
    ipaddress.ip_network(text)
    for text in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16",
        "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24",
        "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
        "2001::/23", "2001:db8::/32", "2620:4f:8000::/48", "3fff::/20",
    )
)  # fmt: skip
# Every other address of IPv6 is of no host, or of one that is near.
_UNICAST = ipaddress.ip_network("2000::/3")


@dataclass(frozen=True)
class Destination:
    """A name and a port that a job may reach.

    Attributes:
        host: In lower case.
        port: A TCP port.
        private: Whether the name may lead to an address that is not public.
    """

    host: str
    port: int
    private: bool = False

    def __str__(self) -> str:
        """As it is written."""
        return f"{self.host}:{self.port}"


@dataclass(frozen=True)
class Refusal:
    """An attempt that the relay refused: what was asked for, and why not."""

    target: str
    reason: str

    def __post_init__(self) -> None:
        """Clean what the job said here, once."""
        object.__setattr__(self, "target", one_line(self.target, MOST_WORDS))
        object.__setattr__(self, "reason", one_line(self.reason, MOST_WORDS))


@dataclass(frozen=True)
class EgressPolicy:
    """What the operator allows.

    Attributes:
        allowed: By caller (the public part of a token, or `*` for anybody), patterns of `host:port`.
        private: Patterns of `host:port` whose names may lead to addresses that are not public.
    """

    allowed: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    private: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse patterns that could not be met.

        Raises:
            ValueError: one is not written `host:port`.
        """
        for pattern in (*self.private, *(each for patterns in self.allowed.values() for each in patterns)):
            if _PATTERN.fullmatch(pattern) is None:
                raise ValueError(f"{SETTING}: {pattern[:100]!r} is not written host:port")

    def grant(self, caller: str, asked: tuple[Destination, ...]) -> tuple[Destination, ...]:
        """What a job may reach.

        Args:
            caller: The public part of the token that was shown; empty where callers are not known.
            asked: What it asks for.

        Raises:
            JobError: the operator does not allow it to this caller.
        """
        patterns = (*self.allowed.get(ANYBODY, ()), *(self.allowed.get(caller, ()) if caller else ()))
        for each in asked:
            if not _met(patterns, each):
                raise JobError(
                    f"egress to {each} is not allowed to this caller; have the operator add it to {SETTING}, "
                    "or do without"
                )
        return tuple(Destination(each.host, each.port, _met(self.private, each)) for each in asked)


def parse_destinations(texts: tuple[str, ...]) -> tuple[Destination, ...]:
    """Read names as a job gives them.

    Raises:
        JobError: one is not written `host:port`, or there are too many.
    """
    if len(texts) > MOST_NAMES:
        raise JobError(f"egress to at most {MOST_NAMES} names")
    return tuple(dict.fromkeys(_parsed(text) for text in texts))


def _parsed(text: str) -> Destination:
    found = parse_target(text)
    if found is None:
        raise JobError(f"egress to {text[:100]!r}: write host:port")
    return found


def parse_target(text: str) -> Destination | None:
    """Name and port of a text; None where it is not written `host:port`, or could be no name.

    Names match by their letters alone.
    """
    found = _NAME.fullmatch(text)
    if found is None or not 0 < int(found[2]) < 65536:
        return None
    if not found[1].startswith("[") and not all(0 < len(label) <= _LABEL for label in found[1].split(".")):
        return None
    return Destination(found[1].lower(), int(found[2]))


def public(address: str) -> bool:
    """Whether an address is one of the public network's, whatever form it has."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or next(
            (
                ipaddress.IPv4Address(int(found) >> behind & 0xFFFFFFFF)
                for network, behind in _CARRIERS
                if found in network
            ),
            None,
        )
        if inner is not None:
            return public(str(inner))
        if found not in _UNICAST:
            return False
    return found.is_global and not any(found in network for network in _SPECIAL)


def parse_policy(text: str, private: str) -> EgressPolicy:
    """Read an operator's settings: patterns with commas or white space between, each perhaps after `caller@`.

    Raises:
        ValueError: a pattern is not written `host:port`.
    """
    allowed: dict[str, tuple[str, ...]] = {}
    for entry in text.replace(",", " ").split():
        caller, at, pattern = entry.rpartition("@")
        who = caller if at else ANYBODY
        allowed[who] = (*allowed.get(who, ()), pattern)
    return EgressPolicy(allowed, tuple(private.replace(",", " ").split()))


def _met(patterns: tuple[str, ...], asked: Destination) -> bool:
    for pattern in patterns:
        host, _, port = pattern.rpartition(":")
        # `[` begins a set of letters in a pattern; here it is part of an address.
        if port in ("*", str(asked.port)) and fnmatchcase(asked.host, host.lower().replace("[", "[[]")):
            return True
    return False
