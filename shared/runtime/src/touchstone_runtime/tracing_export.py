"""Switches tracing on: spans are sampled, gathered and sent to a collector by OTLP. Loaded only where one is named."""

from __future__ import annotations

from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

from touchstone_runtime import tracing
from touchstone_runtime.dialling import NO_PROXY


class _NamedIds(RandomIdGenerator):
    """Ids as the work names them; random where it names none."""

    def generate_trace_id(self) -> int:
        return tracing.naming.get()[0] or super().generate_trace_id()

    def generate_span_id(self) -> int:
        return tracing.naming.get()[1] or super().generate_span_id()


class _Share(TraceIdRatioBased):
    """A share of all traces, told by their ids: every service keeps the same ones."""

    def keeps(self, trace: int) -> bool:
        return self.should_sample(None, trace, "").decision.is_sampled()


class Tracing:
    """Spans of this process go to a processor until it is closed.

    Args:
        service: Whose spans they are.
        processor: Takes ended spans.
        share: Share of the traces that are kept, 0 to 1.
    """

    def __init__(self, service: str, processor: SpanProcessor, share: float = 1.0) -> None:
        sampler = _Share(share)
        resource = Resource.create({"service.name": service, "service.namespace": "touchstone"})
        self._provider = TracerProvider(ParentBased(sampler), resource, id_generator=_NamedIds())
        self._provider.add_span_processor(processor)
        tracing.record_with(tracing.Recording(self._provider.get_tracer("touchstone"), sampler))

    @classmethod
    def to_collector(cls, service: str, endpoint: str, share: float) -> Tracing:
        """Spans go to the collector at an endpoint."""
        # An integer it has to be, whatever the exporter's types say.
        exporter = OTLPSpanExporter(endpoint=endpoint, channel_options=(NO_PROXY,))  # pyright: ignore[reportArgumentType]
        return cls(service, BatchSpanProcessor(exporter), share)

    def close(self) -> None:
        """Send what is gathered and switch tracing off."""
        tracing.record_with(None)
        self._provider.shutdown()
