"""Takes what runners say of a job, within the bounds that the job has; whatever else they say is the job's doing."""

from __future__ import annotations

from dataclasses import replace

from sandbox_executor.adapters.attempt import KEPT_OUTPUT
from sandbox_executor.adapters.pods import wire
from sandbox_executor.adapters.pods.channel import Frame, MalformedFrameError
from sandbox_executor.adapters.programs import ARTEFACT_BYTES
from sandbox_executor.domain.jobs import CaseSink, CasesJob, File, Printed, ProgramResult, ProgramSink
from sandbox_executor.domain.outcomes import CaseResult, Outcome

# All answers of a job together, and some more: the runner holds a job to the same bound.
_ALL_ANSWERS = 80 * 1024 * 1024


class Results:
    """Takes results of cases; the last is held until nothing follows it."""

    def __init__(self, job: CasesJob, sink: CaseSink) -> None:
        self._job = job
        self._sink = sink
        self._held: CaseResult | None = None
        self._count = 0
        self._failures = 0
        self._bytes = 0

    def take(self, frame: Frame) -> bool:
        """Take a frame; False when it was the last.

        Raises:
            MalformedFrameError: it is none that may come now.
        """
        if frame.kind == "done":
            wire.expect(frame, "done")
            enough = 0 < self._job.stop_after_failures <= self._failures
            if self._count < len(self._job.inputs) and not enough:
                raise MalformedFrameError(f"{self._count} results of {len(self._job.inputs)}")
            self._release()
            return False
        if self._count >= len(self._job.inputs):
            raise MalformedFrameError("a frame after the last result")
        result = wire.read_result(frame, self._count)
        # Each case may show so much of what it printed.
        self._bytes += len(frame.body) + max(0, len(result.output) - KEPT_OUTPUT)
        if self._bytes > _ALL_ANSWERS:
            raise MalformedFrameError(f"{self._bytes} bytes of answers")
        self._count += 1
        self._failures += result.outcome is not Outcome.RETURNED
        if self._count < len(self._job.inputs):
            # Told at once: whoever takes results may want no more of them.
            self._sink(result)
        else:
            self._held = result
        return True

    def _release(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            self._sink(held)

    def distrust(self, words: str) -> None:
        """Others speak for the runner: what is not told yet is forbidden."""
        foreign = f"the runner said what it never says: {words}"
        if self._held is not None:
            self._sink(_forbidden(self._held, foreign))
            self._held = None
        for index in range(self._count, len(self._job.inputs)):
            self._sink(_forbidden(CaseResult(index, Outcome.FORBIDDEN), foreign))
        self._count = len(self._job.inputs)


def _forbidden(result: CaseResult, words: str) -> CaseResult:
    return replace(result, outcome=Outcome.FORBIDDEN, value="", error_type="ForeignMessage", error_message=words)


class Events:
    """Takes what a program printed and left, within the bounds that it has."""

    def __init__(self, sink: ProgramSink, output_bytes: int, artefacts: tuple[str, ...]) -> None:
        self._sink = sink
        self._output_left = output_bytes
        self._missing = set(artefacts)
        self._files_left = ARTEFACT_BYTES
        self._result: ProgramResult | None = None

    def take(self, frame: Frame) -> None:
        """Take a frame.

        Raises:
            MalformedFrameError: it is none that may come now.
        """
        if self._result is not None:
            raise MalformedFrameError("a frame after the result")
        if frame.kind == "printed" and frame.fields in ({"stream": "stdout"}, {"stream": "stderr"}):
            self._output_left -= len(frame.body)
            if self._output_left < 0:
                raise MalformedFrameError("more output than may be printed")
            self._sink(Printed(frame.fields["stream"], frame.body))
        elif frame.kind == "file":
            self._take_file(frame)
        else:
            self._result = wire.read_ended(frame)

    def _take_file(self, frame: Frame) -> None:
        path = frame.fields.get("path")
        self._files_left -= len(frame.body)
        if len(frame.fields) != 1 or path not in self._missing or self._files_left < 0:
            raise MalformedFrameError("a file that was not asked for, or is too large")
        self._missing.discard(path)
        self._sink(File(path, frame.body))

    def finish(self) -> None:
        """Give the result, once nothing can follow it.

        Raises:
            MalformedFrameError: there is none.
        """
        if self._result is None:
            raise MalformedFrameError("no result")
        self._sink(self._result)

    def distrust(self, words: str) -> None:
        """Others speak for the runner."""
        self._sink(ProgramResult(Outcome.FORBIDDEN, -1, 0.0, 0.0, 0, f"the runner said what it never says: {words}"))
