"""Functions that an index gives back: services hand them over among themselves, and nobody else."""

import grpc
import pytest

from embedder.adapters.records import function_of
from embedder.rpc import EmbedderServicer
from embedder.usecases.ensemble import Ensemble
from embedder.usecases.functions import EmbedFunctions
from touchstone.embedder.v1 import embedder_pb2 as pb
from touchstone.embedder.v1 import embedder_pb2_grpc as rpc
from touchstone_runtime.dialling import Identity, dial
from touchstone_runtime.gate import Gate
from touchstone_runtime.grpc_server import GrpcServer
from touchstone_runtime.tokens import SCOPES, TokenFile


@pytest.mark.parametrize(("scope", "taken"), [("read", False), ("judge", False), ("serve", True), ("operate", True)])
async def test_who_runs_code_and_reviews_rewrites_no_code_that_is_searched(
    noise_model, memory_store, published, unit, tmp_path, scope, taken
):
    assert scope in SCOPES
    model = noise_model()
    ensemble = Ensemble({model.name: lambda: model})
    await ensemble.load()
    take, true, tokens = EmbedFunctions(ensemble, memory_store, published), unit("area"), TokenFile(tmp_path / "tokens")
    await take([true])
    other = function_of(true).model_copy(update={"code": "def area(w, h):\n    return 0"})
    server = GrpcServer("127.0.0.1:0", gate=Gate(tokens))
    servicer = EmbedderServicer(ensemble, None, take, memory_store, None)
    server.add(rpc.add_EmbedderServiceServicer_to_server, servicer, "touchstone.embedder.v1.EmbedderService")
    await server.start()
    request = pb.EmbedFunctionsRequest(functions=[other.model_dump_json()])
    try:
        async with dial(server.address, Identity(tokens.create("somebody", scope)[1])) as channel:
            code = await rpc.EmbedderServiceStub(channel).EmbedFunctions(request, timeout=120).code()
    finally:
        await server.stop(0)
    assert code is (grpc.StatusCode.OK if taken else grpc.StatusCode.PERMISSION_DENIED)
    assert (published.last[true.function_id].unit.code == true.code) is not taken
