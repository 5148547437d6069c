"""The model and the sandbox behind their ports; gRPC over a socket file."""

from contextlib import asynccontextmanager

import grpc
import pytest

from annotator.adapters.model import RuntimeModel
from annotator.adapters.sandbox import GrpcSandbox, SandboxLimits
from annotator.errors import NoModelError, SandboxFaultError
from annotator.usecases.forms import Screening
from touchstone.sandbox.v1 import sandbox_pb2 as pb
from touchstone.sandbox.v1 import sandbox_pb2_grpc as rpc
from touchstone_runtime.errors import SuspendedError
from touchstone_runtime.llm import (
    Catalogue,
    Endpoint,
    EndpointUnavailableError,
    LlmClient,
    MemoryLedger,
    MemoryLlmCache,
    RawAnswer,
    RequestRefusedError,
)

LOCAL = Endpoint("small", "small", "http://127.0.0.1:9/v1", usd_per_mtoken_in=1.0, usd_per_mtoken_out=2.0)
GOOD = '{"reason": "it does", "verdict": "match"}'
VALUES = {"query": "q", "language": "python", "code": "def f(): ..."}


class Transport:
    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []

    async def complete(self, endpoint, request, turn):
        self.requests.append(request)
        async with turn():
            answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return RawAnswer(answer, "stop", tokens_in=100, tokens_out=10, seconds=0.5)

    async def close(self):
        return


def model_on(*answers, name=""):
    transport = Transport(*answers)
    client = LlmClient(Catalogue({"small": LOCAL}, "small"), transport, MemoryLlmCache(), MemoryLedger())
    return RuntimeModel(client, name), transport


class TestModel:
    async def test_a_good_answer(self):
        model, transport = model_on(GOOD)
        asked = await model.ask("screener_v1", Screening, max_tokens=50, **VALUES)
        assert asked.value.verdict == "match" and asked.prompt.startswith("screener_v1:")
        assert [role for role, _ in asked.exchanges[0].messages] == ["system", "user"]
        assert asked.exchanges[0].cost_usd == pytest.approx(0.00012)
        assert transport.requests[0].max_tokens == 50 and transport.requests[0].temperature == 0.0

    async def test_every_round_is_kept(self):
        model, transport = model_on("well...", GOOD)
        asked = await model.ask("screener_v1", Screening, max_tokens=50, **VALUES)
        assert asked.value.verdict == "match"
        assert [exchange.answer for exchange in asked.exchanges] == ["well...", GOOD]
        assert len(transport.requests) == 2

    async def test_nonsense_is_a_value(self):
        model, _ = model_on("no", "no again")
        asked = await model.ask("screener_v1", Screening, max_tokens=50, **VALUES)
        assert asked.value is None and "no JSON object" in asked.problem
        assert asked.exchanges[-1].answer == "no again"

    async def test_a_request_too_long_is_a_value(self):
        model, _ = model_on(RequestRefusedError("longer than the context"))
        asked = await model.ask("screener_v1", Screening, max_tokens=50, **VALUES)
        assert asked.value is None and "longer than the context" in asked.problem and asked.exchanges == ()

    async def test_an_endpoint_that_is_away_suspends(self):
        model, _ = model_on(EndpointUnavailableError("down"))
        with pytest.raises(SuspendedError):
            await model.ask("screener_v1", Screening, max_tokens=50, **VALUES)

    async def test_a_replay_keeps_the_figures(self):
        model, _ = model_on(GOOD)
        first = await model.ask("screener_v1", Screening, max_tokens=50, **VALUES)
        assert await model.ask("screener_v1", Screening, max_tokens=50, **VALUES) == first

    async def test_no_model(self):
        model, _ = model_on(name="unknown")
        with pytest.raises(NoModelError, match="TOUCHSTONE_LLM_MODEL"):
            await model.ask("screener_v1", Screening, max_tokens=50, **VALUES)

    def test_signature_names_model_and_prompts(self):
        model, _ = model_on()
        assert model.signature().split("|")[0] == LOCAL.identity and "arbiter_v1:" in model.signature()


class Servicer(rpc.SandboxServiceServicer):
    """Answers as the test says."""

    def __init__(self):
        self.requests = []
        self.answers = []
        self.fail = None

    async def _take(self, request, context):
        self.requests.append(request)
        if self.fail:
            await context.abort(*self.fail)

    async def RunCases(self, request, context):
        await self._take(request, context)
        for answer in self.answers:
            yield answer

    async def Execute(self, request, context):
        await self._take(request, context)
        for answer in self.answers:
            yield answer

    async def Prepare(self, request, context):
        await self._take(request, context)
        return self.answers[0]

    async def Describe(self, request, context):
        await self._take(request, context)
        return pb.DescribeResponse(
            languages=[
                pb.LanguageSupport(language=pb.LANGUAGE_PYTHON, available=True),
                pb.LanguageSupport(language=pb.LANGUAGE_PHP, available=False),
            ]
        )


@pytest.fixture
def sandbox(tmp_path):
    @asynccontextmanager
    async def served():
        servicer = Servicer()
        server = grpc.aio.server()
        rpc.add_SandboxServiceServicer_to_server(servicer, server)
        address = f"unix:{tmp_path}/s"
        server.add_insecure_port(address)
        await server.start()
        async with grpc.aio.insecure_channel(address) as channel:
            yield GrpcSandbox(channel, SandboxLimits(2.0, 9.0, 1 << 20)), servicer
        await server.stop(None)

    return served


class TestSandbox:
    async def test_calls(self, sandbox):
        async with sandbox() as (box, servicer):
            servicer.answers = [
                pb.RunCasesResponse(index=0, outcome=pb.OUTCOME_RETURNED, value="1"),
                pb.RunCasesResponse(index=1, outcome=pb.OUTCOME_RAISED, error_type="E", error_message="m"),
            ]
            runs = await box.call("python", "src", "f", ["[1]", "[2]"], "env", nothing_returned=True)
        assert [run.outcome for run in runs] == ["returned", "raised"] and runs[1].error_type == "E"
        request = servicer.requests[0]
        assert (request.entry_point, request.environment_id, list(request.inputs)) == ("f", "env", ["[1]", "[2]"])
        assert request.nothing_returned
        assert request.limits.case_timeout_s == 2.0 and request.limits.total_timeout_s == 9.0

    async def test_missing_outcomes_are_a_fault(self, sandbox):
        async with sandbox() as (box, _):
            with pytest.raises(SandboxFaultError, match="0 of 1"):
                await box.call("python", "src", "f", ["[1]"], "")

    async def test_a_platform_fault_is_never_a_verdict(self, sandbox):
        async with sandbox() as (box, servicer):
            servicer.answers = [pb.RunCasesResponse(index=0, outcome=pb.OUTCOME_PLATFORM_FAULT)]
            with pytest.raises(SandboxFaultError):
                await box.call("python", "src", "f", ["[1]"], "")

    async def test_programs(self, sandbox):
        async with sandbox() as (box, servicer):
            servicer.answers = [
                pb.ExecuteResponse(stdout=b"a\xff"),
                pb.ExecuteResponse(stderr=b"bad"),
                pb.ExecuteResponse(stdout=b"b"),
                pb.ExecuteResponse(result=pb.ExecuteResult(outcome=pb.OUTCOME_EXITED, exit_code=1, wall_s=0.5)),
            ]
            run = await box.run("python", "src", "")
        assert (run.outcome, run.exit_code, run.stdout, run.stderr) == ("exited", 1, "a\ufffdb", "bad")

    async def test_a_program_without_a_result_is_a_fault(self, sandbox):
        async with sandbox() as (box, _):
            with pytest.raises(SandboxFaultError):
                await box.run("python", "src", "")

    async def test_a_refused_job_is_an_answer(self, sandbox):
        async with sandbox() as (box, servicer):
            servicer.fail = (grpc.StatusCode.INVALID_ARGUMENT, "the source is too long")
            runs = await box.call("python", "src", "f", ["[1]", "[2]"], "")
            assert {(run.outcome, run.message) for run in runs} == {("compile_error", "the source is too long")}
            assert (await box.run("python", "src", "")).outcome == "compile_error"
            assert (await box.prepare("python", ["x"])).problem == "the source is too long"

    async def test_without_isolation_pairs_wait(self, sandbox):
        async with sandbox() as (box, servicer):
            servicer.fail = (grpc.StatusCode.FAILED_PRECONDITION, "no user namespaces")
            with pytest.raises(SuspendedError, match="no user namespaces"):
                await box.run("python", "src", "")

    async def test_an_absent_sandbox_is_told_as_such(self, tmp_path):
        async with grpc.aio.insecure_channel(f"unix:{tmp_path}/nobody") as channel:
            with pytest.raises(SuspendedError, match="UNAVAILABLE"):
                await GrpcSandbox(channel, SandboxLimits()).run("python", "src", "")

    async def test_packages(self, sandbox):
        async with sandbox() as (box, servicer):
            package = pb.PreparedPackage(name="attrs", version="26.1", sha256="ab")
            servicer.answers = [pb.PrepareResponse(ready=True, environment_id="e", packages=[package])]
            assert (await box.prepare("python", ["attrs"])).installed == ("attrs==26.1 ab",)
            servicer.answers = [pb.PrepareResponse(ready=False, detail="no wheel")]
            assert (await box.prepare("python", ["attrs"])).problem == "no wheel"

    async def test_languages_are_asked_once(self, sandbox):
        async with sandbox() as (box, servicer):
            assert await box.speaks("python") and not await box.speaks("php") and not await box.speaks("go")
        assert len(servicer.requests) == 1
