"""Jobs on their way to a runner, and what runners answer: written on one side, read with bounds on the other."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeVar

from sandbox_executor.adapters.pods.channel import Channel, Frame, MalformedFrameError
from sandbox_executor.domain.frames import LARGE, fault
from sandbox_executor.domain.jobs import CasesJob, File, ProgramJob, ProgramResult
from sandbox_executor.domain.limits import Limits
from sandbox_executor.domain.outcomes import CaseResult, Outcome
from sandbox_executor.domain.sessions import SessionJob, Step
from sandbox_executor.errors import IsolationMissingError, JobRefusedError, SandboxFaultError, TouchstoneError
from sandbox_executor.ports import LanguageStatus, Layer

_MOST_NUMBER = 1 << 63
_MOST_TEXT = 400_000
_MOST_ITEMS = 100
Value = TypeVar("Value")
_FAULTS: dict[str, type[TouchstoneError]] = {
    "refused": JobRefusedError, "missing": IsolationMissingError, "fault": SandboxFaultError,
}  # fmt: skip


def encoded(text: str) -> bytes:
    """A text that need not be one of Unicode's, as candidates' sources are."""
    return text.encode("utf-8", "surrogatepass")


def decoded(data: bytes) -> str:
    """What `encoded` wrote.

    Raises:
        MalformedFrameError: it is something else.
    """
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise MalformedFrameError("a text that is none") from None


# To the runner. A runner trusts its executor: bounds were proved before.


def send_cases(channel: Channel, job: CasesJob) -> None:
    """Send a job of cases."""
    for text in job.inputs:
        channel.send("input", encoded(text))
    channel.send(
        "cases", encoded(job.source), language=job.language, entry_point=job.entry_point, limits=asdict(job.limits),
        hash_seed=job.hash_seed, stop_after_failures=job.stop_after_failures, type_check=job.type_check,
        nothing_returned=job.nothing_returned, data_view=job.data_view,
    )  # fmt: skip


def cases_job(frame: Frame, inputs: list[bytes]) -> CasesJob:
    """What `send_cases` sent."""
    fields = dict(frame.fields)
    limits = Limits(**fields.pop("limits"))
    return CasesJob(source=decoded(frame.body), inputs=tuple(map(decoded, inputs)), limits=limits, **fields)


def send_program(channel: Channel, job: ProgramJob) -> None:
    """Send a whole program."""
    send_files(channel, job.files)
    channel.send("stdin", job.stdin)
    channel.send(
        "program", encoded(job.source), language=job.language, arguments=job.arguments, limits=asdict(job.limits),
        artefacts=job.artefacts, type_check=job.type_check, data_view=job.data_view,
    )  # fmt: skip


def program_job(frame: Frame, files: list[File], stdin: bytes) -> ProgramJob:
    """What `send_program` sent."""
    fields = dict(frame.fields)
    limits = Limits(**fields.pop("limits"))
    texts = {name: tuple(fields.pop(name)) for name in ("arguments", "artefacts")}
    return ProgramJob(source=decoded(frame.body), files=tuple(files), stdin=stdin, limits=limits, **texts, **fields)


def send_session(channel: Channel, job: SessionJob) -> None:
    """Send what a session is opened for."""
    send_files(channel, job.files)
    channel.send("session", language=job.language, limits=asdict(job.limits), data_view=job.data_view)


def session_job(frame: Frame, files: list[File]) -> SessionJob:
    """What `send_session` sent."""
    fields = dict(frame.fields)
    return SessionJob(limits=Limits(**fields.pop("limits")), files=tuple(files), **fields)


def send_step(channel: Channel, step: Step, number: int) -> None:
    """Send one step of a session; the number tells it from others, where it shall be stopped."""
    channel.send("stdin", step.stdin)
    channel.send(
        "step", encoded(step.source), number=number, timeout_s=step.timeout_s, output_bytes=step.output_bytes,
        command=step.command, arguments=step.arguments, artefacts=step.artefacts,
    )  # fmt: skip


def session_step(frame: Frame, stdin: bytes) -> Step:
    """What `send_step` sent."""
    fields = {name: value for name, value in frame.fields.items() if name != "number"}
    texts = {name: tuple(fields.pop(name)) for name in ("command", "arguments", "artefacts")}
    return Step(source=decoded(frame.body), stdin=stdin, **texts, **fields)


def send_files(channel: Channel, files: tuple[File, ...]) -> None:
    """Send files, each in a frame."""
    for file in files:
        channel.send("file", file.content, path=file.path)


# From the runner


def send_result(channel: Channel, result: CaseResult) -> None:
    """Send how a case ended."""
    channel.send(
        "case", encoded(result.value), index=result.index, outcome=result.outcome.value, error_type=result.error_type,
        error_message=result.error_message, wall_s=max(0.0, result.wall_s), cpu_s=max(0.0, result.cpu_s),
        memory_bytes=result.memory_bytes, output=result.output, job_cpu_s=max(0.0, result.job_cpu_s),
    )  # fmt: skip


def read_result(frame: Frame, index: int) -> CaseResult:
    """How this case ended, as a runner says it; a value up to `LARGE` is proved to be one.

    Raises:
        MalformedFrameError: it is no such thing.
    """
    fields = _fields(
        frame, "case", index=whole, outcome=_outcome, error_type=text, error_message=text, wall_s=_amount,
        cpu_s=_amount, memory_bytes=whole, output=text, job_cpu_s=_amount,
    )  # fmt: skip
    if fields["index"] != index:
        raise MalformedFrameError(f"a result of case {fields['index']} where that of {index} is expected")
    value = decoded(frame.body)
    if bool(value) != (fields["outcome"] is Outcome.RETURNED):
        raise MalformedFrameError(f"a case that {fields['outcome']} and a value of {len(value)} characters")
    words = fault(value) if value and len(value) <= LARGE else ""
    if words:
        raise MalformedFrameError(f"no portable value: {words}")
    return CaseResult(value=value, **fields)


def send_ended(channel: Channel, result: ProgramResult) -> None:
    """Send how a program ended."""
    channel.send(
        "result", outcome=result.outcome.value, exit_code=result.exit_code, wall_s=max(0.0, result.wall_s),
        cpu_s=max(0.0, result.cpu_s), memory_bytes=result.memory_bytes, detail=result.detail,
    )  # fmt: skip


def read_ended(frame: Frame) -> ProgramResult:
    """How a program ended, as a runner says it.

    Raises:
        MalformedFrameError: it is no such thing.
    """
    return ProgramResult(
        **expect(
            frame, "result", outcome=_outcome, exit_code=_code, wall_s=_amount, cpu_s=_amount, memory_bytes=whole,
            detail=text,
        )
    )  # fmt: skip


def send_fault(channel: Channel, error: Exception) -> None:
    """Send that the platform failed, and not the job."""
    name = next((name for name, kind in _FAULTS.items() if isinstance(error, kind)), "fault")
    thing, way_out = (error.thing, error.way_out) if isinstance(error, TouchstoneError) else ("", "")
    words = error.message if isinstance(error, TouchstoneError) else f"{type(error).__name__}: {error}"
    channel.send("fault", fault=name, words=words[:4000], thing=thing[:400], way_out=way_out[:400])


def read_fault(frame: Frame) -> TouchstoneError:
    """The fault that a runner tells of.

    Raises:
        MalformedFrameError: it tells of none.
    """
    told = expect(frame, "fault", fault=text, words=text, thing=text, way_out=text)
    kind = _FAULTS.get(told["fault"])
    if kind is None:
        raise MalformedFrameError("a fault of no kind")
    return kind(told["words"][:4000], thing=told["thing"][:400], way_out=told["way_out"][:400])


def send_description(channel: Channel, layers: list[Layer], languages: list[LanguageStatus]) -> None:
    """Send what holds a job here, and in which languages it may be."""
    channel.send(
        "description", layers=[asdict(each) for each in layers], languages=[asdict(each) for each in languages]
    )


def read_description(frame: Frame) -> tuple[list[Layer], list[LanguageStatus]]:
    """What `send_description` sent.

    Raises:
        MalformedFrameError: it is something else.
    """
    told = expect(frame, "description", layers=_items, languages=_items)
    layers = [Layer(**_read(each, name=text, in_force=truth, detail=text, required=truth)) for each in told["layers"]]
    languages = [
        LanguageStatus(**_read(each, name=text, available=truth, version=text, detail=text))
        for each in told["languages"]
    ]
    return layers, languages


def expect(frame: Frame, kind: str, **readers: Callable[[object], Any]) -> dict[str, Any]:
    """The fields of a frame of this kind, exactly these, without a body that nobody asked for.

    Raises:
        MalformedFrameError: it is another.
    """
    if frame.body:
        raise MalformedFrameError(f"a frame {kind} with {len(frame.body)} bytes")
    return _fields(frame, kind, **readers)


def _fields(frame: Frame, kind: str, **readers: Callable[[object], Any]) -> dict[str, Any]:
    if frame.kind != kind:
        raise MalformedFrameError(f"a frame {frame.kind[:40]!r} where {kind!r} is expected")
    return _read(frame.fields, **readers)


def _read(told: object, **readers: Callable[[object], Any]) -> dict[str, Any]:
    if type(told) is not dict or told.keys() != readers.keys():
        raise MalformedFrameError("other fields than there should be")
    return {name: read(told[name]) for name, read in readers.items()}


def whole(value: object) -> int:
    """A whole number that is not negative."""
    if type(value) is not int or not 0 <= value < _MOST_NUMBER:
        raise MalformedFrameError("not a whole number")
    return value


def _code(value: object) -> int:
    if type(value) is not int or not -1 <= value <= 255:
        raise MalformedFrameError("not an exit code")
    return value


def _amount(value: object) -> float:
    if type(value) not in (int, float) or not 0 <= value < _MOST_NUMBER or not math.isfinite(value):  # type: ignore[operator]
        raise MalformedFrameError("not an amount")
    return float(value)  # type: ignore[arg-type]


def text(value: object) -> str:
    """A text of bounded length."""
    if type(value) is not str or len(value) > _MOST_TEXT:
        raise MalformedFrameError("not a text, or too long")
    return value


def truth(value: object) -> bool:
    """True or false."""
    if type(value) is not bool:
        raise MalformedFrameError("neither true nor false")
    return value


def _items(value: object) -> list[object]:
    if type(value) is not list or len(value) > _MOST_ITEMS:
        raise MalformedFrameError("not a list, or too long")
    return value


def _outcome(value: object) -> Outcome:
    try:
        return Outcome(text(value))
    except ValueError:
        raise MalformedFrameError("an outcome that there is not") from None
