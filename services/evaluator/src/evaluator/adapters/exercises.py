"""Tasks as exercises, which the pbt-generator makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import grpc

from evaluator.domain.exercises import Exercise
from evaluator.errors import ExercisesAwayError, NoExerciseError, UnknownTrackError
from evaluator.ports import Posable
from touchstone.pbt_generator.v1 import pbt_generator_pb2 as pb
from touchstone.pbt_generator.v1 import pbt_generator_pb2_grpc as rpc
from touchstone_runtime.faults import FaultKinds, refused, rpc_fault

_KINDS = FaultKinds(away=ExercisesAwayError, failed=ExercisesAwayError)


class GeneratorExercises:
    """Implements `ports.Exercises`.

    Args:
        channel: To the pbt-generator.
        deadline_s: Longest wait for an answer; a thousand tasks are looked through, or some programs run, meanwhile.
    """

    def __init__(self, channel: grpc.aio.Channel, *, deadline_s: float = 600.0) -> None:
        self._stub = rpc.PbtGeneratorServiceStub(channel)
        self._deadline_s = deadline_s

    async def posable(self, track: str, task_ids: Sequence[str]) -> Posable:
        """Of some tasks those that give an exercise."""
        request = pb.ListExercisesRequest(track=track, task_ids=task_ids)
        try:
            answer: Any = await self._stub.ListExercises(request, timeout=self._deadline_s)  # pyright: ignore[reportGeneralTypeIssues]
        except grpc.aio.AioRpcError as error:
            if words := refused(error):
                raise UnknownTrackError(words, thing=track) from error
            raise rpc_fault(error, "pbt-generator", kinds=_KINDS, way_out="ask again when it answers") from error
        return Posable(tuple(answer.task_ids), answer.version, tuple(sorted(answer.left_out.items())))

    async def find(self, task_id: str, track: str, version: int = 0) -> Exercise:
        """The exercise of a task."""
        request = pb.PoseExerciseRequest(task_id=task_id, track=track, version=version)
        try:
            answer: Any = await self._stub.PoseExercise(request, timeout=self._deadline_s)  # pyright: ignore[reportGeneralTypeIssues]
        except grpc.aio.AioRpcError as error:
            if words := refused(error):
                raise NoExerciseError(words, thing=f"task {task_id}") from error
            raise rpc_fault(error, "pbt-generator", kinds=_KINDS, way_out="ask again when it answers") from error
        return Exercise(
            answer.track,
            answer.program,
            answer.arguments,
            answer.expected,
            answer.seen,
            answer.suite_digest,
            answer.reference_cpu_s,
            answer.entry_point,
            answer.instruction,
            dict(answer.signatures),
        )
