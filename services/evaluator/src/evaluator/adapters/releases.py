"""Releases of tasks, which the pbt-generator keeps."""

from __future__ import annotations

import json
from typing import Any

import grpc

from evaluator.errors import ReleasesAwayError, UnknownReleaseError
from evaluator.ports import Release
from touchstone.pbt_generator.v1 import pbt_generator_pb2 as pb
from touchstone.pbt_generator.v1 import pbt_generator_pb2_grpc as rpc
from touchstone_runtime.faults import FaultKinds, refused, rpc_fault


class GeneratorReleases:
    """Implements `ports.Releases`.

    Args:
        channel: To the pbt-generator.
        deadline_s: Longest wait for an answer.
    """

    def __init__(self, channel: grpc.aio.Channel, *, deadline_s: float = 30.0) -> None:
        self._stub = rpc.PbtGeneratorServiceStub(channel)
        self._deadline_s = deadline_s

    async def find(self, name: str) -> Release:
        """A release by its name."""
        try:
            answer: Any = await self._stub.GetRelease(pb.GetReleaseRequest(name=name), timeout=self._deadline_s)  # pyright: ignore[reportGeneralTypeIssues]
        except grpc.aio.AioRpcError as error:
            if refused(error):
                raise UnknownReleaseError(
                    "no release is called so", thing=name, way_out="`touchstone release list` lists them"
                ) from error
            raise rpc_fault(
                error, "pbt-generator", kinds=FaultKinds(failed=ReleasesAwayError), way_out="ask again when it answers"
            ) from error
        manifest: dict[str, Any] = json.loads(answer.manifest_json)
        ids = tuple(str(task["task_id"]) for task in manifest["tasks"])
        return Release(answer.release.name, answer.release.digest, ids)
