"""Whole platforms for disturbances: one scripted model, the default job in steps, and what came of it."""

# aiokafka ships no types; what comes out of it is annotated where it enters.
# pyright: reportMissingTypeStubs=false

from __future__ import annotations

import ast
import asyncio
import importlib.util
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient

from touchstone.annotator.v1 import annotator_pb2, annotator_pb2_grpc
from touchstone.embedder.v1 import embedder_pb2, embedder_pb2_grpc
from touchstone.retriever.v1 import retriever_pb2
from touchstone_contracts.topics import TOPICS

ROOT = Path(__file__).resolve().parents[2]
QUERIES = ("count the vowels of a text", "the grade that belongs to a score")
# Steps of the job at which a disturbance may begin, in their order.
STEPS = ("before ingesting", "ingesting", "generating", "before evaluating", "evaluating", "labelling")
STEP_TIMEOUT_S = 1800.0


@dataclass(frozen=True)
class Outcome:
    """What must not depend on any disturbance."""

    tasks: tuple[Any, ...]
    verdicts: tuple[Any, ...]
    found: tuple[Any, ...]
    labels: tuple[Any, ...]


def live_platforms() -> Any:
    """The end-to-end tests' platforms."""
    spec = importlib.util.spec_from_file_location("live_platforms", ROOT / "tests/e2e/conftest.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["live_platforms"] = module
    spec.loader.exec_module(module)
    return module


class Platforms:
    """Platforms in folders of their own, one after the other, with one scripted model."""

    def __init__(self, folder: Path) -> None:
        self.live = live_platforms()
        self.folder = folder
        self.solutions = folder / "solutions"
        self.solutions.mkdir()
        (self.port,) = self.live.ports.free_ports(1)
        self.model: subprocess.Popen[bytes] | None = None
        for path in self.live.SOURCE.glob("*.py"):
            text = path.read_text()
            for node in ast.parse(text).body:
                if isinstance(node, ast.FunctionDef):
                    code = ast.get_source_segment(text, node)
                    (self.solutions / f"{node.name}.py").write_text(f"import re\n\n\n{code}\n")

    def start_model(self) -> None:
        """Start the scripted model's endpoint, at the address that it had."""
        script = str(self.live.HERE / "fake_llm.py")
        line = [sys.executable, script, "--port", str(self.port), "--solutions", str(self.solutions)]
        self.model = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert self.live.ports.wait_until_open(self.port, 120)

    def stop_model(self) -> None:
        """Take the endpoint away."""
        if self.model:
            self.model.kill()
            self.model.wait()
            self.model = None

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """What platforms are told: the scripted model, a small embedding model, and more."""
        catalogue = self.folder / "models.toml"
        catalogue.write_text('default = "scripted"\n\n[models.scripted]\n')
        return {
            **os.environ,
            "TOUCHSTONE_CACHE": os.environ.get("TOUCHSTONE_CACHE") or str(ROOT / ".state" / "cache"),
            "TOUCHSTONE_LLM_BASE_URL": f"http://127.0.0.1:{self.port}/v1",
            "TOUCHSTONE_LLM_MODEL": "scripted",
            "TOUCHSTONE_MODELS_FILE": str(catalogue),
            "TOUCHSTONE_EMBEDDING_MODELS": '["bow-hash-512"]',
            **(more or {}),
        }

    def platform(self, name: str, more: Mapping[str, str] | None = None) -> Any:
        """A running platform in a folder of its own."""
        state = self.folder / name
        state.mkdir()
        live = self.live.LivePlatform(state, self.environment(more) | {"TOUCHSTONE_STATE": str(state)})
        try:
            live.start()
        except BaseException:
            live.stop()
            raise
        return live

    def job(self, live: Any, disturb: Callable[[str], None] = lambda _step: None) -> Outcome:
        """The default job; `disturb` is called at every step, and must return soon."""
        disturb("before ingesting")
        live.ingest(self.live.SOURCE)
        disturb("ingesting")
        live.until(lambda: len(live.tasks()) >= 1, "the first task stands", STEP_TIMEOUT_S)
        disturb("generating")
        live.until(live.generation_is_done, "all tasks are built or refused", STEP_TIMEOUT_S)
        disturb("before evaluating")
        run_id = live.evaluate()
        disturb("evaluating")
        run = live.until(lambda: live.finished(run_id), "every solution has its verdict", STEP_TIMEOUT_S)
        embedder = live.stub(embedder_pb2_grpc.EmbedderServiceStub, "embedder")
        annotator = live.stub(annotator_pb2_grpc.AnnotatorServiceStub, "annotator")

        def idle(stub: Any, request: Any) -> Callable[[], bool]:
            return lambda: stub.Progress(request).progress.lag == 0

        live.until(idle(embedder, embedder_pb2.ProgressRequest()), "all functions have vectors", STEP_TIMEOUT_S)
        live.until(idle(live.retriever, retriever_pb2.ProgressRequest()), "all vectors are indexed", STEP_TIMEOUT_S)
        asked = [retriever_pb2.Query(text=text) for text in QUERIES]
        wanted = live.until(
            lambda: live.retriever.ImportQueries(retriever_pb2.ImportQueriesRequest(queries=asked, candidates=2)),
            "queries are taken",
            STEP_TIMEOUT_S,
        )
        disturb("labelling")
        pairs = 2 * len(wanted.query_ids)
        live.until(
            lambda: len(annotator.ListPairs(annotator_pb2.ListPairsRequest()).pairs) >= pairs,
            "all pairs are labelled",
            STEP_TIMEOUT_S,
        )
        return Outcome(
            tuple(sorted((task.task_id, task.entry_point, task.suite_digest, task.cases) for task in live.tasks())),
            tuple(sorted((each.task_id, each.outcome, each.cases, each.passed) for each in run.results)),
            tuple(self._search(live, text) for text in QUERIES),
            tuple(sorted((p.pair_id, p.label) for p in annotator.ListPairs(annotator_pb2.ListPairsRequest()).pairs)),
        )

    def _search(self, live: Any, text: str) -> tuple[Any, ...]:
        answer = live.until(
            lambda: live.retriever.Search(retriever_pb2.SearchRequest(query=text, limit=5)),
            "search answers",
            STEP_TIMEOUT_S,
        )
        return tuple((each.location.qualname, round(each.score, 5)) for each in answer.results)


def processes(live: Any, name: str) -> list[psutil.Process]:
    """The processes of one part, its first one first."""
    first = psutil.Process(live.pid(name))
    return [first, *first.children(recursive=True)] if name == "postgres" else [first]


def waiting(live: Any) -> dict[str, str]:
    """What each service says that it waits for, or why it is not ready; nothing of one that does not answer."""
    token = (live.state / "token").read_text().strip()
    said: dict[str, str] = {}
    for name, entry in json.loads((live.state / "platform.json").read_text())["services"].items():
        request = urllib.request.Request(f"http://{entry['http']}/ready", headers={"Authorization": f"Bearer {token}"})
        try:
            with urllib.request.urlopen(request, timeout=5) as answer:
                body = json.loads(answer.read())
        except urllib.error.HTTPError as error:
            body = json.loads(error.read())
        except (OSError, ValueError):
            continue
        lines = [*body.get("waiting", []), *body.get("reasons", [])]
        if lines:
            said[name] = lines[0][:160]
    return said


def backlog(live: Any, service: str = "") -> int:
    """Messages that a service (all of them by default) has not committed, as the broker itself tells."""
    return backlog_at(json.loads((live.state / "platform.json").read_text())["kafka"], service)


def backlog_at(bootstrap: str, service: str = "") -> int:
    """The same by the broker's address."""
    return asyncio.run(_backlog(bootstrap, f"touchstone.{service}." if service else "touchstone."))


async def _backlog(bootstrap: str, prefix: str) -> int:
    admin: Any = AIOKafkaAdminClient(bootstrap_servers=bootstrap)
    consumer: Any = AIOKafkaConsumer(bootstrap_servers=bootstrap, enable_auto_commit=False)
    total = 0
    try:
        await admin.start()
        await consumer.start()
        # A topic that nobody consumes is made with its first message.
        known = await consumer.topics()
        for topic in (topic for topic in TOPICS if topic.name in known):
            places = [TopicPartition(topic.name, number) for number in range(topic.partitions)]
            ends: dict[Any, int] = await consumer.end_offsets(places)
            for group in {group for group, _kind in await admin.list_consumer_groups()}:
                if not (group.startswith(prefix) and group.endswith(topic.name.removeprefix("touchstone."))):
                    continue
                held: dict[Any, Any] = await admin.list_consumer_group_offsets(group)
                total += sum(
                    max(0, end - max(held[place].offset if place in held else 0, 0)) for place, end in ends.items()
                )
    finally:
        await consumer.stop()
        await admin.close()
    return total


def dead_letters(live: Any) -> list[dict[str, Any]]:
    """The letters in the platform's dead-letter topics."""
    line = [sys.executable, "-m", "touchstone_cli.main", "dlq", "list", "--json"]
    done = subprocess.run(line, env=live.environment, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        raise AssertionError(f"the dead letters cannot be read: {done.stderr}")
    return json.loads(done.stdout)
