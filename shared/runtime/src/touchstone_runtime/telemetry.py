"""Structured logs, and the trace id that follows a piece of work from event to event."""

from __future__ import annotations

import logging
import sys
import threading
from contextvars import ContextVar
from types import TracebackType
from typing import Any

import structlog

trace_id: ContextVar[str] = ContextVar("trace_id", default="")


def _add_trace_id(_logger: Any, _method: str, fields: structlog.types.EventDict) -> structlog.types.EventDict:
    current = trace_id.get()
    if current:
        fields["trace_id"] = current
    return fields


def configure(service: str, level: str = "info") -> None:
    """Send structured logs of this process to standard error, one JSON object a line.

    Args:
        service: Name that every line carries.
        level: "debug", "info", "warning" or "error".
    """
    number = logging.getLevelNamesMapping()[level.upper()]

    def add_service(_logger: Any, _method: str, fields: structlog.types.EventDict) -> structlog.types.EventDict:
        # Not by a context: a library's own threads have none.
        fields.setdefault("service", service)
        return fields

    shared: list[structlog.types.Processor] = [
        structlog.contextvars.merge_contextvars,
        add_service,
        _add_trace_id,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    # What libraries log takes the same form: a line that is no JSON would be lost where logs are collected.
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, structlog.stdlib.add_logger_name, structlog.stdlib.ExtraAdder()],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    logging.basicConfig(level=max(number, logging.WARNING), handlers=[handler], force=True)
    logging.captureWarnings(True)
    sys.excepthook = _tell_crash
    threading.excepthook = _tell_crash_of_thread
    structlog.configure(
        processors=[*shared, structlog.processors.format_exc_info, structlog.processors.JSONRenderer()],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )


def _tell_crash(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """What nobody caught, as one line like any other."""
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    get_logger().critical("crashed", exc_info=(kind, error, trace))


def _tell_crash_of_thread(told: threading.ExceptHookArgs) -> None:
    # A thread that ends itself by this is no crash; Python's own hook says nothing of it either.
    if not issubclass(told.exc_type, SystemExit):
        _tell_crash(told.exc_type, told.exc_value or told.exc_type(), told.exc_traceback)


def get_logger() -> structlog.stdlib.BoundLogger:
    """The structured logger; first argument of each call is a constant event name, ids are fields."""
    return structlog.get_logger()
