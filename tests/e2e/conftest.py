"""A whole platform for a test: real Kafka, real PostgreSQL, seven processes, a deterministic model endpoint."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import psutil
import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc

from touchstone.evaluator.v1 import evaluator_pb2, evaluator_pb2_grpc
from touchstone.ingester.v1 import ingester_pb2, ingester_pb2_grpc
from touchstone.pbt_generator.v1 import pbt_generator_pb2, pbt_generator_pb2_grpc
from touchstone.retriever.v1 import retriever_pb2_grpc
from touchstone_local import ports
from touchstone_runtime.dialling import Identity, dial_blocking

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SOURCE = HERE / "sources" / "wordkit"
MODEL = "scripted"


@dataclass
class LivePlatform:
    """One running platform in a folder of its own."""

    state: Path
    environment: dict[str, str]
    supervisor: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start everything and wait until every process runs."""
        log = (self.state / "supervisor.out").open("ab")
        self.supervisor = subprocess.Popen(
            [sys.executable, "-m", "touchstone_local.supervisor", ""], env=self.environment, stdout=log, stderr=log
        )
        self.until(self.all_running, "every process runs", 900)

    def stop(self) -> None:
        """Stop everything."""
        if self.supervisor:
            self.supervisor.terminate()
            self.supervisor.wait(600)
            self.supervisor = None

    def all_running(self) -> bool:
        """Whether the supervisor sees eight or more processes, all of them running."""
        try:
            (report,) = self.state.glob("supervisor*.json")
            processes = json.loads(report.read_text())["processes"]
        except (ValueError, OSError):
            return False
        return len(processes) >= 9 and all(process["state"] == "running" for process in processes.values())

    def until(self, condition: Callable[[], Any], what: str, timeout_s: float) -> Any:
        """Wait for a condition; RPC faults count as not yet."""
        end = time.monotonic() + timeout_s
        last: object = None
        while time.monotonic() < end:
            try:
                last = condition()
                if last:
                    return last
            except grpc.RpcError as error:
                # A service that is away comes back; a fault inside one does not go away by asking again.
                if error.code() is grpc.StatusCode.INTERNAL:
                    raise
                last = error
            time.sleep(0.2)
        raise AssertionError(f"not within {timeout_s:.0f} s: {what}; last seen: {last}\n{self.logs()}")

    def logs(self) -> str:
        """The last lines of every log, for a failing test."""
        parts = []
        for log in sorted((self.state / "logs").glob("*.log")):
            parts.append(f"--- {log.name}\n" + "\n".join(log.read_text(errors="replace").splitlines()[-12:]))
        return "\n".join(parts)

    def pid(self, name: str) -> int:
        """Process id of one process."""
        (report,) = self.state.glob("supervisor*.json")
        return int(json.loads(report.read_text())["processes"][name]["pid"])

    def kill(self, name: str) -> None:
        """`kill -9` one process; the supervisor starts it again."""
        pid = self.pid(name)
        if psutil.pid_exists(pid):
            os.kill(pid, signal.SIGKILL)

    def stub(self, make: Callable[[grpc.Channel], Any], service: str) -> Any:
        """A gRPC stub of a service."""
        addresses = json.loads((self.state / "platform.json").read_text())["services"]
        return make(dial_blocking(addresses[service]["grpc"], Identity(token_file=self.state / "token")))

    @property
    def ingester(self) -> Any:
        return self.stub(ingester_pb2_grpc.IngesterServiceStub, "ingester")

    @property
    def generator(self) -> Any:
        return self.stub(pbt_generator_pb2_grpc.PbtGeneratorServiceStub, "pbt-generator")

    @property
    def evaluator(self) -> Any:
        return self.stub(evaluator_pb2_grpc.EvaluatorServiceStub, "evaluator")

    @property
    def retriever(self) -> Any:
        return self.stub(retriever_pb2_grpc.RetrieverServiceStub, "retriever")

    # -- the main job, in steps --------------------------------------------------------------------------------

    def ingest(self, source: Path) -> None:
        """Follow a folder and take it in."""
        wanted = ingester_pb2.Source(kind="folder", name=str(source), window_days=36500)
        added = self.ingester.AddSource(ingester_pb2.AddSourceRequest(source=wanted)).source
        self.ingester.Sync(ingester_pb2.SyncRequest(source_ids=[added.source_id]))

    def tasks(self) -> list[Any]:
        """All released tasks."""
        # Who was killed last may still be starting.
        request = pbt_generator_pb2.ListTasksRequest()
        return list(self.generator.ListTasks(request, wait_for_ready=True, timeout=120).tasks)

    def generation_is_done(self) -> bool:
        """Whether the ingester and the generator have nothing left to do."""
        sources = self.ingester.ListSources(ingester_pb2.ListSourcesRequest()).sources
        if not sources or any(source.state != "ingested" for source in sources):
            return False
        progress = self.generator.Progress(pbt_generator_pb2.ProgressRequest()).progress
        return progress.lag == 0 and len(self.tasks()) > 0

    def evaluate(self, strategy: str = "direct") -> str:
        """Start a run on all tasks; gives its id."""
        self.until(
            lambda: self.evaluator.Leaderboard(evaluator_pb2.LeaderboardRequest()) is not None, "evaluator answers", 60
        )
        known = len(self.tasks())
        request = evaluator_pb2.StartRunRequest(model=MODEL, strategy=strategy)
        return self.until(
            lambda: (run := self.evaluator.StartRun(request)).tasks >= known and run.run_id, "all tasks are known", 60
        )

    def finished(self, run_id: str) -> Any:
        """The run, once all its tasks have a verdict; None before."""
        run = self.evaluator.GetRun(evaluator_pb2.GetRunRequest(run_id=run_id))
        return run if run.tasks and run.finished == run.tasks else None


@pytest.fixture
def source() -> Path:
    """Code to take in."""
    return SOURCE


@pytest.fixture(scope="session")
def solutions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ground truths by function name, for the deterministic model."""
    import ast

    folder = tmp_path_factory.mktemp("solutions")
    for path in SOURCE.glob("*.py"):
        text = path.read_text()
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef):
                code = ast.get_source_segment(text, node)
                (folder / f"{node.name}.py").write_text(f"import re\n\n\n{code}\n")
    return folder


@pytest.fixture(scope="session")
def model_endpoint(solutions: Path) -> Iterator[str]:
    """A deterministic OpenAI-compatible endpoint; gives its base URL."""
    (port,) = ports.free_ports(1)
    command = [sys.executable, str(HERE / "fake_llm.py"), "--port", str(port), "--solutions", str(solutions)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        assert ports.wait_until_open(port, 300)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(120)


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """Takes spans by OTLP, as a collector of traces does."""

    def __init__(self) -> None:
        self.endpoint = ""
        self.spans: list[tuple[str, Any]] = []

    def Export(self, request: Any, context: Any) -> Any:
        for group in request.resource_spans:
            (service,) = [each.value.string_value for each in group.resource.attributes if each.key == "service.name"]
            self.spans += [(service, span) for scope in group.scope_spans for span in scope.spans]
        return trace_service_pb2.ExportTraceServiceResponse()

    def trace(self, name: str) -> list[tuple[str, Any]]:
        """Service and span of all spans of one trace."""
        return [(service, span) for service, span in self.spans if span.trace_id.hex() == name]


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    """A collector of traces; its `endpoint` is what services are told."""
    server, servicer = grpc.server(ThreadPoolExecutor(2)), Collector()
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(servicer, server)
    servicer.endpoint = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    yield servicer
    server.stop(5).wait()


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory, model_endpoint: str) -> Iterator[Callable[[str], LivePlatform]]:
    """Starts platforms in folders of their own; all are stopped at the end of the module."""
    started: list[LivePlatform] = []
    tmp_path = tmp_path_factory.mktemp("platforms")
    catalogue = tmp_path / "models.toml"
    catalogue.write_text(f'default = "{MODEL}"\n\n[models.{MODEL}]\nbase_url = "{model_endpoint}"\n')

    def start(name: str, prepare: Callable[[Path], None] = lambda _: None, **settings: str) -> LivePlatform:
        state = tmp_path / name
        state.mkdir()
        prepare(state)
        environment = {
            **os.environ,
            "TOUCHSTONE_STATE": str(state),
            "TOUCHSTONE_CACHE": os.environ.get("TOUCHSTONE_CACHE") or str(ROOT / ".state" / "cache"),
            "TOUCHSTONE_LLM_BASE_URL": model_endpoint,
            "TOUCHSTONE_LLM_MODEL": MODEL,
            "TOUCHSTONE_MODELS_FILE": str(catalogue),
            "TOUCHSTONE_EMBEDDING_MODELS": '["bow-hash-512"]',
            "TOUCHSTONE_RETRY_BACKOFF_S": "0.2",
            **settings,
        }
        live = LivePlatform(state, environment)
        started.append(live)
        live.start()
        return live

    with contextlib.ExitStack() as stack:
        stack.callback(lambda: [live.stop() for live in started])
        yield start
