"""Whose fault a refused call is: the job's that it brought, or the house's, which waits for whoever runs it."""

import grpc
import pytest

from touchstone.ingester.v1 import ingester_pb2_grpc as ingester
from touchstone.sandbox.v1 import sandbox_pb2 as pb
from touchstone.sandbox.v1 import sandbox_pb2_grpc as rpc
from touchstone_runtime.dialling import MESSAGE_BYTES, Identity, dial
from touchstone_runtime.errors import PermanentError, SuspendedError
from touchstone_runtime.faults import Fault, classify, is_the_messages, refused, rpc_fault
from touchstone_runtime.gate import Gate
from touchstone_runtime.grpc_server import GrpcServer
from touchstone_runtime.tokens import TokenFile

SANDBOX = "touchstone.sandbox.v1.SandboxService"


class Sandbox(rpc.SandboxServiceServicer):
    async def Judge(self, request, context):
        if request.source == "no program":
            raise PermanentError("is no program", thing="source")
        return pb.JudgeResponse(verdict="passed")


@pytest.fixture
async def fault_of(tmp_path):
    """What a job's call ends with at a server, which takes the tokens of a file where one is given."""
    servers = []

    async def ask(source, tokens=None, shown="", *, other=False):
        server = GrpcServer("127.0.0.1:0", gate=Gate(tokens))
        servers.append(server)
        if other:
            add = ingester.add_IngesterServiceServicer_to_server
            server.add(add, ingester.IngesterServiceServicer(), "touchstone.ingester.v1.IngesterService")
        else:
            server.add(rpc.add_SandboxServiceServicer_to_server, Sandbox(), SANDBOX)
        await server.start()
        async with dial(server.address, Identity(shown)) as channel:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await rpc.SandboxServiceStub(channel).Judge(pb.JudgeRequest(source=source), timeout=120)
        return caught.value

    yield ask
    for server in servers:
        await server.stop(0)


def held_against_nobody(error):
    fault = rpc_fault(error, "sandbox-executor")
    waits = isinstance(fault, SuspendedError) and classify(fault) is classify(error) is Fault.WAIT
    return waits and not refused(error) and not is_the_messages(fault)


async def test_another_service_at_the_address_or_one_of_another_release_is_waited_for(fault_of):
    error = await fault_of("def f(): ...", other=True)
    assert error.code() is grpc.StatusCode.UNIMPLEMENTED
    assert held_against_nobody(error)


async def test_what_a_token_may_not_send_is_no_verdict_on_the_job(fault_of, tmp_path):
    tokens = TokenFile(tmp_path / "tokens.json")
    _, text = tokens.create("services", "judge", request_bytes=100)
    error = await fault_of("x" * 200, tokens, text)
    assert "100" in (error.details() or "")
    assert held_against_nobody(error)


async def test_what_the_job_itself_is_at_fault_for_stays_a_verdict(fault_of):
    for source, words in (("no program", "is no program"), ("x" * (MESSAGE_BYTES + 1), "larger than max")):
        error = await fault_of(source)
        assert words in refused(error)
        assert is_the_messages(rpc_fault(error, "sandbox-executor"))
