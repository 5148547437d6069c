"""Metrics that every service has; a service's own are in its `metrics.py`.

What an operator asks of them, and how, stands in `helm/touchstone/dashboards` and `helm/touchstone/files/alerts.yaml`.
"""

from __future__ import annotations

import contextlib
import platform
import shutil
import threading
import time
from collections.abc import Callable, Generator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from prometheus_client import Counter, Gauge, Histogram

# Every histogram of short work can show 5 and 25 milliseconds.
SHORT_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
LONG_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600)
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3600, 86400
# How fresh tasks and verdicts are: from a minute to two years.
FRESHNESS_S = (
    *(_MINUTE_S, 5 * _MINUTE_S, 15 * _MINUTE_S, _HOUR_S, 6 * _HOUR_S, _DAY_S, 2 * _DAY_S, 7 * _DAY_S, 14 * _DAY_S),
    *(30 * _DAY_S, 90 * _DAY_S, 180 * _DAY_S, 365 * _DAY_S, 730 * _DAY_S),
)

BUILD_INFO = Gauge(
    "touchstone_runtime_build_info", "Always 1; which version of which service runs", ["service", "version", "python"]
)
EVENTS_HANDLED = Counter(
    "touchstone_runtime_events_handled_total", "Messages taken from a topic, by how it ended", ["topic", "result"]
)
EVENT_SECONDS = Histogram(
    "touchstone_runtime_event_seconds",
    "What handling took: of one message, or of one batch",
    ["topic"],
    buckets=LONG_S,
)
EVENT_WAIT_SECONDS = Histogram(
    "touchstone_runtime_event_wait_seconds",
    "From when a message was sent to when its handling began",
    ["topic"],
    buckets=(*LONG_S, _HOUR_S, 6 * _HOUR_S, _DAY_S),
)
EVENTS_IN_FLIGHT = Gauge("touchstone_runtime_events_in_flight", "Messages that are being handled now", ["topic"])
EVENTS_IN_HAND = Gauge("touchstone_runtime_events_in_hand", "Messages that were taken and are not done", ["topic"])
OLDEST_EVENT_SECONDS = Gauge(
    "touchstone_runtime_oldest_event_age_seconds", "How long the oldest message in hand has waited; 0: none", ["topic"]
)
LAG = Gauge(
    "touchstone_runtime_lag_events",
    "Messages of a topic that the consumer's group has not committed, of all partitions; every replica tells the same",
    ["consumer", "topic"],
)
EVENTS_PUBLISHED = Counter("touchstone_runtime_events_published_total", "Messages published and confirmed", ["topic"])
EVENT_RETRIES = Counter(
    "touchstone_runtime_event_retries_total", "Faults that spent one of a message's tries", ["topic"]
)
MESSAGES_WAITING = Gauge(
    "touchstone_runtime_messages_waiting", "Messages in hand that wait for a dependency", ["topic"]
)
CONSUMERS_HALTED = Gauge(
    "touchstone_runtime_consumers_halted", "Consumers that stopped: too many dead letters, or a fault of ours"
)
DISK_FREE = Gauge(
    "touchstone_runtime_disk_free_ratio", "Share of the disk under a folder of the service that is free", ["folder"]
)
RPCS_HANDLED = Counter("touchstone_runtime_rpcs_handled_total", "RPCs answered, by status code", ["method", "code"])
RPCS_IN_FLIGHT = Gauge("touchstone_runtime_rpcs_in_flight", "RPCs that are being answered now")
RPC_SECONDS = Histogram(
    "touchstone_runtime_rpc_seconds", "Time from an RPC's start to its end", ["method"], buckets=LONG_S
)
LLM_CALLS = Counter(
    "touchstone_runtime_llm_calls_total",
    "Questions to models as the ledger books them, by whether the cache answered",
    ["model", "purpose", "cached"],
)
LLM_TOKENS = Counter(
    "touchstone_runtime_llm_tokens_total",
    "Tokens as the ledger books them, in and out",
    ["model", "purpose", "direction"],
)
LLM_COST = Counter("touchstone_runtime_llm_cost_usd_total", "Cost as the ledger books it, USD", ["model", "purpose"])
LLM_SECONDS = Histogram(
    "touchstone_runtime_llm_seconds", "What an answer took that was really asked for", ["model"], buckets=LONG_S
)
LLM_REFUSALS = Counter(
    "touchstone_runtime_llm_budget_refusals_total",
    "Questions to models that the budget had no room for; asked again, they count again",
)


def tell_build(service: str) -> None:
    """Say which version of a service this is."""
    try:
        found = version(f"touchstone-{service}")
    except PackageNotFoundError:
        found = "unknown"
    BUILD_INFO.labels(service, found, platform.python_version()).set(1)


def begin_topic(topic: str) -> None:
    """Show what did not happen yet as 0: the first fault of a topic is then a step, and no series that comes to be."""
    for result in ("done", "dead"):
        EVENTS_HANDLED.labels(topic, result)
    EVENT_RETRIES.labels(topic)
    MESSAGES_WAITING.labels(topic)


@contextlib.contextmanager
def in_flight(topic: str, messages: int) -> Generator[None]:
    """Show so many messages as being handled."""
    gauge = EVENTS_IN_FLIGHT.labels(topic)
    gauge.inc(messages)
    try:
        yield
    finally:
        gauge.dec(messages)


def free_share(folder: Path) -> float:
    """Share of the disk that is free, from 0 to 1, under a folder or under where it will be made.

    Raises:
        OSError: the disk does not say.
    """
    there = folder.absolute()
    while not there.exists() and there != there.parent:
        there = there.parent
    usage = shutil.disk_usage(there)
    return usage.free / usage.total if usage.total else 1.0


def watch_disk(name: str, folder: Path, every_s: float = 60.0) -> None:
    """Tell from now on how much of a folder's disk is free; a disk that does not say leaves the last figure."""

    def watch() -> None:
        while True:
            with contextlib.suppress(OSError):
                DISK_FREE.labels(name).set(free_share(folder))
            time.sleep(every_s)

    # A thread of its own: a disk that hangs holds up neither the service nor its end.
    threading.Thread(target=watch, name=f"disk {name}", daemon=True).start()


def waited_s(sent_ms: int, now: Callable[[], float] = time.time) -> float:
    """Seconds since a message was sent; clocks that differ make nothing negative."""
    return max(0.0, now() - sent_ms / 1000)
