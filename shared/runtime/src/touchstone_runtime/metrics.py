"""Metrics that every service has; a service's own are in its `metrics.py`."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

EVENTS_HANDLED = Counter(
    "touchstone_runtime_events_handled_total", "Messages taken from a topic, by how it ended", ["topic", "result"]
)
EVENT_SECONDS = Histogram(
    "touchstone_runtime_event_seconds",
    "Time from taking a message to committing it",
    ["topic"],
    buckets=(0.005, 0.01, 0.025, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 180, 600),
)
EVENTS_PUBLISHED = Counter("touchstone_runtime_events_published_total", "Messages published and confirmed", ["topic"])
EVENT_RETRIES = Counter(
    "touchstone_runtime_event_retries_total", "Faults after which a message is tried again", ["topic"]
)
MESSAGES_WAITING = Gauge(
    "touchstone_runtime_messages_waiting_count", "Messages in hand that wait for a dependency", ["topic"]
)
CONSUMERS_HALTED = Gauge(
    "touchstone_runtime_consumers_halted_count", "Consumers that stopped over too many dead letters"
)
RPCS_HANDLED = Counter("touchstone_runtime_rpcs_handled_total", "RPCs answered, by status code", ["method", "code"])
RPCS_IN_FLIGHT = Gauge("touchstone_runtime_rpcs_in_flight_count", "RPCs that are being answered now")
RPC_SECONDS = Histogram(
    "touchstone_runtime_rpc_seconds",
    "Time from an RPC's start to its end",
    ["method"],
    buckets=(0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 120, 600),
)
