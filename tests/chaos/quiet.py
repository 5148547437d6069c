"""RPCs that say nothing for minutes, in real time: one that answers at its end, and one that streams then.

    python tests/chaos/quiet.py --seconds 420

calls a server of ours as every client of this house does, and prints one JSON line. The exit code is 1 when a call came
back in any other way than with its answer.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc

from touchstone.pbt_generator.v1 import pbt_generator_pb2 as pb
from touchstone.pbt_generator.v1 import pbt_generator_pb2_grpc as rpc
from touchstone_runtime.dialling import dial, dial_blocking
from touchstone_runtime.grpc_server import GrpcServer


class Quiet(rpc.PbtGeneratorServiceServicer):
    """Answers after so many seconds, and says nothing before."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def Progress(self, request: pb.ProgressRequest, context: Any) -> pb.ProgressResponse:
        await asyncio.sleep(self._seconds)
        return pb.ProgressResponse()

    async def VerifyRelease(
        self, request: pb.VerifyReleaseRequest, context: Any
    ) -> AsyncIterator[pb.VerifyReleaseResponse]:
        await asyncio.sleep(self._seconds)
        yield pb.VerifyReleaseResponse()


async def call(seconds: float) -> list[dict[str, Any]]:
    """Wait for quiet RPCs by every kind of client, all at once; gives a line for each."""
    server = GrpcServer("127.0.0.1:0")
    server.add(
        rpc.add_PbtGeneratorServiceServicer_to_server, Quiet(seconds), "touchstone.pbt_generator.v1.PbtGeneratorService"
    )
    await server.start()

    async def unary() -> None:
        async with dial(server.address) as channel:
            await rpc.PbtGeneratorServiceStub(channel).Progress(pb.ProgressRequest())

    async def stream() -> None:
        async with dial(server.address) as channel:
            stub = rpc.PbtGeneratorServiceStub(channel)
            answers = [answer async for answer in stub.VerifyRelease(pb.VerifyReleaseRequest())]
            assert len(answers) == 1

    def ask() -> None:
        with dial_blocking(server.address) as channel:
            rpc.PbtGeneratorServiceStub(channel).Progress(pb.ProgressRequest())

    async def blocking() -> None:
        await asyncio.to_thread(ask)

    async def timed(what: str, work: Callable[[], Awaitable[None]]) -> dict[str, Any]:
        began, problem = time.monotonic(), ""
        try:
            await work()
        except (grpc.RpcError, AssertionError) as error:
            problem = f"{type(error).__name__}: {error}"
        took = round(time.monotonic() - began, 1)
        return {"chaos": "quiet RPC", "what": what, "seconds": seconds, "took_s": took, "problem": problem}

    try:
        calls = (("asyncio", unary), ("asyncio, streaming", stream), ("blocking", blocking))
        return await asyncio.gather(*(timed(what, work) for what, work in calls))
    finally:
        await server.stop(0)


def main() -> int:
    """Call, and say what came."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=420.0)
    lines = asyncio.run(call(parser.parse_args().seconds))
    for line in lines:
        sys.stdout.write(json.dumps(line) + "\n")
    return 1 if any(line["problem"] for line in lines) else 0


if __name__ == "__main__":
    raise SystemExit(main())
