"""Six services in one process that answer as a test tells them, and the command as a user calls it."""

from concurrent import futures
from types import SimpleNamespace

import grpc
import pytest
from typer.testing import CliRunner

from touchstone.annotator.v1 import annotator_pb2, annotator_pb2_grpc
from touchstone.common.v1 import code_pb2, progress_pb2
from touchstone.embedder.v1 import embedder_pb2, embedder_pb2_grpc
from touchstone.evaluator.v1 import evaluator_pb2, evaluator_pb2_grpc
from touchstone.ingester.v1 import ingester_pb2, ingester_pb2_grpc
from touchstone.pbt_generator.v1 import pbt_generator_pb2, pbt_generator_pb2_grpc
from touchstone.retriever.v1 import retriever_pb2, retriever_pb2_grpc

SERVICES = {
    "INGESTER": (ingester_pb2, ingester_pb2_grpc, "IngesterService"),
    "EMBEDDER": (embedder_pb2, embedder_pb2_grpc, "EmbedderService"),
    "RETRIEVER": (retriever_pb2, retriever_pb2_grpc, "RetrieverService"),
    "ANNOTATOR": (annotator_pb2, annotator_pb2_grpc, "AnnotatorService"),
    "PBT_GENERATOR": (pbt_generator_pb2, pbt_generator_pb2_grpc, "PbtGeneratorService"),
    "EVALUATOR": (evaluator_pb2, evaluator_pb2_grpc, "EvaluatorService"),
}


class World:
    """Answers by method name; a list is used up one by one, a function is called with the request."""

    def __init__(self):
        strategies = [
            evaluator_pb2.Strategy(name="direct"),
            evaluator_pb2.Strategy(name="cocost", parts=["plan", "search"]),
        ]
        self.answers = {"ListStrategies": evaluator_pb2.ListStrategiesResponse(strategies=strategies)}
        self.requests = []

    def asked(self, method):
        return [request for name, request in self.requests if name == method]

    def answer(self, service, method, request, context):
        self.requests.append((method, request))
        planned = self.answers.get(f"{service}.{method}", self.answers.get(method))
        if isinstance(planned, list):
            planned = planned.pop(0) if len(planned) > 1 else planned[0]
        if isinstance(planned, tuple):
            context.abort(*planned)
        if callable(planned):
            return planned(request)
        return planned


def servicer(world, service, messages, stubs, name):
    base = getattr(stubs, f"{name}Servicer")
    methods = messages.DESCRIPTOR.services_by_name[name].methods

    def method(described):
        def run(self, request, context):
            found = world.answer(service, described.name, request, context)
            return found if found is not None else getattr(messages, described.output_type.name)()

        def stream(self, request, context):
            yield from world.answer(service, described.name, request, context) or ()

        return stream if described.server_streaming else run

    return type(name, (base,), {described.name: method(described) for described in methods})()


@pytest.fixture(autouse=True)
def no_platform(tmp_path, monkeypatch):
    """A platform that runs from this checkout is none of the tests' business."""
    monkeypatch.setenv("TOUCHSTONE_STATE", str(tmp_path / "state"))


@pytest.fixture(autouse=True)
def no_first_sign_is_waited_for(monkeypatch):
    """What is known at once is told at once; a made-up service learns nothing more."""
    monkeypatch.setattr("touchstone_cli.evaluate.FIRST_SIGN_S", 0.0)


@pytest.fixture
def world(tmp_path, monkeypatch):
    state = World()
    state.address = f"unix:{tmp_path}/services"
    server = grpc.server(futures.ThreadPoolExecutor(4))
    address = state.address
    for service, (messages, stubs, name) in SERVICES.items():
        getattr(stubs, f"add_{name}Servicer_to_server")(servicer(state, service, messages, stubs, name), server)
        monkeypatch.setenv(f"TOUCHSTONE_{service}_ADDRESS", address)
    monkeypatch.setenv("TOUCHSTONE_STATE", str(tmp_path / "state"))
    server.add_insecure_port(address)
    server.start()
    state.pb = SimpleNamespace(
        ingester=ingester_pb2,
        embedder=embedder_pb2,
        retriever=retriever_pb2,
        annotator=annotator_pb2,
        generator=pbt_generator_pb2,
        evaluator=evaluator_pb2,
        progress=progress_pb2,
        code=code_pb2,
    )
    yield state
    server.stop(None)


@pytest.fixture
def touchstone(tmp_path, monkeypatch):
    """Runs the command; gives exit code, standard output and standard error."""
    from touchstone_cli.main import app

    monkeypatch.setenv("TOUCHSTONE_STATE", str(tmp_path / "state"))

    def run(*arguments):
        done = CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="touchstone")
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        return SimpleNamespace(code=done.exit_code, out=done.stdout, err=done.stderr)

    return run
