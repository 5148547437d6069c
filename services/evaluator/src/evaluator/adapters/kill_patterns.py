"""How mutants fail, which the pbt-generator knows."""

from __future__ import annotations

from typing import Any

import grpc

from evaluator.domain.resemblance import KillPattern
from evaluator.errors import ExercisesAwayError
from touchstone.pbt_generator.v1 import pbt_generator_pb2 as pb
from touchstone.pbt_generator.v1 import pbt_generator_pb2_grpc as rpc
from touchstone_runtime.faults import FaultKinds, refused, rpc_fault

_KINDS = FaultKinds(away=ExercisesAwayError, failed=ExercisesAwayError)


class GeneratorKillPatterns:
    """Implements `ports.KillPatterns`.

    Args:
        channel: To the pbt-generator.
        deadline_s: Longest wait for an answer; up to sixty programs run meanwhile.
    """

    def __init__(self, channel: grpc.aio.Channel, *, deadline_s: float = 1200.0) -> None:
        self._stub = rpc.PbtGeneratorServiceStub(channel)
        self._deadline_s = deadline_s

    async def of(self, task_id: str) -> tuple[KillPattern, ...]:
        """How each mutant of a task fails its suite; none where the generator does not have the task."""
        request = pb.GetKillPatternsRequest(task_id=task_id)
        try:
            answer: Any = await self._stub.GetKillPatterns(request, timeout=self._deadline_s)  # pyright: ignore[reportGeneralTypeIssues]
        except grpc.aio.AioRpcError as error:
            if refused(error):
                return ()
            raise rpc_fault(error, "pbt-generator", kinds=_KINDS, way_out="it is asked again by itself") from error
        return tuple(
            KillPattern(
                each.line,
                each.change,
                each.cases,
                each.passed,
                tuple((failure.index, failure.outcome, failure.detail) for failure in each.failures),
            )
            for each in answer.patterns
        )
