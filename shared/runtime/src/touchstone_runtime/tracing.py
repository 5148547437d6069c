"""Spans around what a service does, and the context that follows work through Kafka's headers and gRPC's metadata.

As long as `touchstone_runtime.tracing_export` has not switched tracing on, there are no spans, no context is carried,
and what follows costs next to nothing. The trace id of the logs and the trace of the spans are one: an event that names
its trace (`Event.trace_id`, 32 hexadecimal digits) has its spans there.

A function has a trace of its own, named by its id, from the event that announces it to the verdicts on every solution
of its task. Whoever knows the function's id can go on with that trace months later, for the first span's id is made
from the name too.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol

from opentelemetry import context as contexts
from opentelemetry.context import Context
from opentelemetry.trace import (
    INVALID_SPAN,
    Link,
    NonRecordingSpan,
    NoOpTracer,
    Span,
    SpanContext,
    SpanKind,
    StatusCode,
    TraceFlags,
    Tracer,
    format_trace_id,
    get_current_span,
    set_span_in_context,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from touchstone_contracts.envelope import Event
from touchstone_contracts.topics import Topic, key_of
from touchstone_runtime.telemetry import trace_id

HEADER = "traceparent"
_NAMED = re.compile(r"(?!0{32})[0-9a-f]{32}")
_carried = TraceContextTextMapPropagator()


class Sampler(Protocol):
    """Says which traces are kept."""

    def keeps(self, trace: int) -> bool:
        """Whether the trace with this id is kept."""
        ...


@dataclass(frozen=True)
class Recording:
    """Where spans go while tracing is on."""

    tracer: Tracer
    sampler: Sampler | None


_OFF = Recording(NoOpTracer(), None)
_recording = _OFF
# What the next span without a parent is called: trace, and span where that is named too.
naming: ContextVar[tuple[int, int]] = ContextVar("naming", default=(0, 0))
# The contexts of the messages of the batch in hand, by their keys.
_in_hand: ContextVar[Mapping[bytes, Context] | None] = ContextVar("in_hand", default=None)


def record_with(recording: Recording | None) -> None:
    """Send spans there from now on; None switches tracing off."""
    global _recording
    _recording = recording or _OFF


def is_on() -> bool:
    """Whether spans are recorded."""
    return _recording is not _OFF


@contextmanager
def asking(name: str, attributes: Mapping[str, str | int]) -> Generator[Span]:
    """A span around what another server is asked; what is raised meanwhile is noted in it.

    Args:
        name: What is asked; of few different values.
        attributes: What is known before.
    """
    if _recording is _OFF:
        yield INVALID_SPAN
        return
    begun = _begin(name, SpanKind.CLIENT, None, attributes)
    with _within(begun):
        yield begun


@contextmanager
def publishing(topic: Topic, event: Event) -> Generator[tuple[Event, dict[str, str]]]:
    """A span around the sending of an event; gives the event with its trace, and the headers of the message.

    An event that names a trace other than the current one has its spans there: it begins the trace where the trace is
    named by the event's key, and goes on with it elsewhere. An event under the key of a message of the batch in hand
    goes on with the trace of that message.
    """
    if _recording is _OFF:
        yield _of_trace(event, trace_id.get()), {}
        return
    key = key_of(topic, event)
    attributes = {
        "messaging.system": "kafka",
        "messaging.operation.type": "send",
        "messaging.destination.name": topic.name,
        "messaging.kafka.message.key": key.decode(errors="replace"),
        "touchstone.event_id": event.event_id,
    }
    begun = _begin_sending(f"send {topic.name}", event, key, attributes)
    with _within(begun):
        headers: dict[str, str] = {}
        _carried.inject(headers)
        yield _of_trace(event, trace_id.get()), headers


def _of_trace(event: Event, current: str) -> Event:
    return event if event.trace_id or not current else event.model_copy(update={"trace_id": current})


def _begin_sending(name: str, event: Event, key: bytes, attributes: dict[str, str]) -> Span:
    """Begin a span in the trace that the event belongs to; what else it comes from is linked."""
    current = get_current_span().get_span_context()
    parent = (_in_hand.get() or {}).get(key)
    links: list[Link] = []
    ids = (0, 0)
    if parent is None and _NAMED.fullmatch(event.trace_id) and int(event.trace_id, 16) != current.trace_id:
        links = [Link(current)] if current.is_valid else []
        trace, first = int(event.trace_id, 16), int(event.trace_id[:16], 16) or 1
        if event.trace_id.encode() == key:
            parent, ids = Context(), (trace, first)
        else:
            kept = _recording.sampler is not None and _recording.sampler.keeps(trace)
            flags = TraceFlags(TraceFlags.SAMPLED if kept else TraceFlags.DEFAULT)
            beginning = NonRecordingSpan(SpanContext(trace, first, is_remote=True, trace_flags=flags))
            parent = set_span_in_context(beginning, Context())
    return _begin(name, SpanKind.PRODUCER, parent, attributes, ids=ids, links=links)


def _begin(
    name: str,
    kind: SpanKind,
    parent: Context | None,
    attributes: Mapping[str, str | int],
    *,
    ids: tuple[int, int] = (0, 0),
    links: Sequence[Link] = (),
) -> Span:
    named = naming.set(ids)
    try:
        return _recording.tracer.start_span(name, parent, kind=kind, attributes=attributes, links=links)
    finally:
        naming.reset(named)


@contextmanager
def handling(topic: Topic, group: str, records: Sequence[Any], events: Sequence[Event]) -> Generator[list[Span]]:
    """Spans around the handling of messages, one for each in the trace of each; the calls made belong to the first.

    Args:
        topic: Where the messages are from.
        group: The consumer group.
        records: The messages, whose headers may carry a context.
        events: What is in them, in the same order.
    """
    logged = trace_id.set(events[0].trace_id or events[0].event_id)
    try:
        if _recording is _OFF:
            yield []
            return
        attributes = {
            "messaging.system": "kafka",
            "messaging.operation.type": "process",
            "messaging.destination.name": topic.name,
            "messaging.consumer.group.name": group,
            "messaging.batch.message_count": len(events),
        }
        begun = [_begin_handling(record, event, attributes) for record, event in zip(records, events, strict=True)]
        by_key = {
            bytes(record.key or b""): set_span_in_context(each) for record, each in zip(records, begun, strict=True)
        }
        held = _in_hand.set(by_key if len(begun) > 1 else None)
        try:
            with _within(begun[0]):
                yield begun
        finally:
            _in_hand.reset(held)
            for each in begun[1:]:
                each.end()
    finally:
        trace_id.reset(logged)


def _begin_handling(record: Any, event: Event, attributes: Mapping[str, str | int]) -> Span:
    # A header may have a name and no value at all.
    carried = {name: (value or b"").decode(errors="replace") for name, value in record.headers or () if name == HEADER}
    name = event.trace_id if _NAMED.fullmatch(event.trace_id) else event.event_id
    own = {
        "messaging.destination.partition.id": str(record.partition),
        "messaging.kafka.offset": record.offset,
        "touchstone.event_id": event.event_id,
    }
    return _begin(
        f"process {attributes['messaging.destination.name']}",
        SpanKind.CONSUMER,
        _carried.extract(carried, Context()),
        {**attributes, **own},
        ids=(int(name, 16) if _NAMED.fullmatch(name) else 0, 0),
    )


def serving(method: str, metadata: Sequence[tuple[str, Any]]) -> Span:
    """Begin the span of an RPC that is answered, in the trace of its caller; `ended` ends it.

    The span becomes the current one of this task, which is the RPC's own, for good.
    """
    if _recording is _OFF:
        return INVALID_SPAN
    carried = {name: str(value) for name, value in metadata if name == HEADER}
    logged = trace_id.get()
    begun = _begin(
        method.strip("/"),
        SpanKind.SERVER,
        _carried.extract(carried, Context()),
        {"rpc.system": "grpc", "rpc.method": method.strip("/")},
        ids=(int(logged, 16) if _NAMED.fullmatch(logged) else 0, 0),
    )
    contexts.attach(set_span_in_context(begun))
    trace_id.set(format_trace_id(begun.get_span_context().trace_id))
    return begun


def calling(method: str) -> tuple[list[tuple[str, str]], Span]:
    """Begin the span of an RPC that is made; gives the metadata that carry it, and the span for `ended`."""
    begun = _begin(method.strip("/"), SpanKind.CLIENT, None, {"rpc.system": "grpc", "rpc.method": method.strip("/")})
    headers: dict[str, str] = {}
    _carried.inject(headers, set_span_in_context(begun))
    return list(headers.items()), begun


def ended(begun: Span, code: str) -> None:
    """End an RPC's span with its status code, such as "OK"."""
    begun.set_attribute("rpc.grpc.status_code", code)
    if code != "OK":
        begun.set_status(StatusCode.ERROR, code)
    begun.end()


def failed(spans: Sequence[Span], error: BaseException) -> None:
    """Note in spans why their work failed."""
    for each in spans:
        each.record_exception(error)
        each.set_status(StatusCode.ERROR, type(error).__name__)


@contextmanager
def _within(begun: Span) -> Generator[None]:
    """Make a span the current one, and its trace that of the logs; end it, with the fault that ended it."""
    attached = contexts.attach(set_span_in_context(begun))
    logged = trace_id.set(format_trace_id(begun.get_span_context().trace_id))
    try:
        yield
    except BaseException as error:
        failed([begun], error)
        raise
    finally:
        trace_id.reset(logged)
        contexts.detach(attached)
        begun.end()
