"""How far a token comes with a blind trial: whoever may run code may have tasks tried, and no more."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import grpc
import pytest

from pbt_generator.rpc import PbtGeneratorServicer
from touchstone.pbt_generator.v1 import pbt_generator_pb2 as pb
from touchstone.pbt_generator.v1 import pbt_generator_pb2_grpc as rpc
from touchstone_runtime.dialling import Identity, dial
from touchstone_runtime.gate import Gate
from touchstone_runtime.grpc_server import GrpcServer
from touchstone_runtime.tokens import TokenFile


class Desk:
    def __init__(self) -> None:
        self.asked: list[tuple[str, bool]] = []

    async def run(self, model: str, solutions: int, ids: Sequence[str], *, act: bool = False) -> AsyncIterator[Any]:
        self.asked.append((model, act))
        return
        yield


@pytest.mark.parametrize("scope", ["judge", "operate", ""])
async def test_only_who_may_take_tasks_back_has_a_trial_do_it_or_names_an_address(tmp_path: Path, scope: str) -> None:
    tokens, desk, codes = TokenFile(tmp_path / "tokens.json"), Desk(), []
    text = tokens.create("somebody", scope)[1] if scope else ""
    servicer: Any = PbtGeneratorServicer(*[None] * 4, desk, None, None)  # type: ignore[arg-type]
    server = GrpcServer("127.0.0.1:0", gate=Gate(tokens if scope else None))
    name = "touchstone.pbt_generator.v1.PbtGeneratorService"
    server.add(rpc.add_PbtGeneratorServiceServicer_to_server, servicer, name)
    await server.start()
    asked = [
        ("m", False),
        ("m", True),
        ("any@http://10.0.0.1:80/v1", False),
        ("any@HTTPS://x/v1", True),
        ("m@2", False),
    ]
    try:
        async with dial(server.address, Identity(text)) as channel:
            for model, act in asked:
                call = rpc.PbtGeneratorServiceStub(channel).TrialTasks(
                    pb.TrialTasksRequest(model=model, act=act), timeout=120
                )
                codes.append(await call.code())
    finally:
        await server.stop(0)
    if scope == "judge":
        denied = grpc.StatusCode.PERMISSION_DENIED
        assert codes == [grpc.StatusCode.OK, denied, denied, denied, grpc.StatusCode.OK]
        assert desk.asked == [asked[0], asked[4]]
    else:
        assert codes == [grpc.StatusCode.OK] * 5
        assert desk.asked == asked
