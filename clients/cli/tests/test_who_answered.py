"""A service that answers that somebody else is away is not taken for one that does not answer."""

import asyncio

import pytest

from touchstone.evaluator.v1 import evaluator_pb2 as pb
from touchstone.evaluator.v1 import evaluator_pb2_grpc as rpc
from touchstone_cli.errors import CliError
from touchstone_cli.services import PassingError, UnreachableError, connect
from touchstone_runtime.faults import DependencyAwayError, database_fault
from touchstone_runtime.grpc_server import GrpcServer

AWAY = [
    DependencyAwayError("is not connected yet", thing="127.0.0.1:9092"),
    DependencyAwayError("cannot be used: KafkaConnectionError: Unable to bootstrap, no connection", thing="Kafka"),
    DependencyAwayError("does not take the call: UNAVAILABLE: failed to connect to all addresses", thing="retriever"),
    database_fault(ConnectionRefusedError(111, "Connect call failed ('127.0.0.1', 5432)")),
    ConnectionResetError("Connection lost"),
]


class Evaluator(rpc.EvaluatorServiceServicer):
    fault: Exception | None = None
    pause_s = 0.0

    async def ListRuns(self, request, context):
        await asyncio.sleep(self.pause_s)
        raise self.fault


@pytest.fixture
async def served():
    """A servicer, and how its service ends a call of the command line."""
    servicer, server = Evaluator(), GrpcServer("127.0.0.1:0", deadline_s=0.5)
    server.add(rpc.add_EvaluatorServiceServicer_to_server, servicer, "touchstone.evaluator.v1.EvaluatorService")
    await server.start()

    def asked():
        service = connect("evaluator", server.address)
        try:
            return service.call("ListRuns", pb.ListRunsRequest(), timeout_s=120)
        except CliError as error:
            return error
        finally:
            service.close()

    yield servicer, lambda: asyncio.to_thread(asked)
    await server.stop(0)


@pytest.mark.parametrize("fault", AWAY)
async def test_who_answers_that_somebody_else_is_away_is_heard(served, fault):
    servicer, asked = served
    servicer.fault = fault
    told = await asked()
    assert type(told) is PassingError
    assert str(fault) in str(told) and "touchstone up" not in str(told)


async def test_who_does_not_answer_is_to_be_started(tmp_path):
    service = connect("evaluator", f"unix:{tmp_path}/nobody")
    with pytest.raises(UnreachableError, match="touchstone up"):
        await asyncio.to_thread(service.call, "ListRuns", pb.ListRunsRequest())


async def test_a_call_that_its_server_ended_names_the_setting_that_bounds_it(served):
    servicer, asked = served
    servicer.pause_s = 60
    told = str(await asked())
    assert "took longer than 0.5 s" in told and "TOUCHSTONE_RPC_DEADLINE_S" in told
    assert "touchstone logs" not in told, "nothing of it stands there"
