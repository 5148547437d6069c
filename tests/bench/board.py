"""How long a board takes at 80 runs of 1,163 tasks on a real PostgreSQL, and whether the event loop goes on meanwhile.

JSON lines; `python tests/bench/board.py [--runs 80] [--tasks 1163]`. A page is timed cold (all read and computed),
after one verdict more (one run read again, the board computed again), and unchanged. The calls of the other pages
follow, each after such a change.

Then as many runs again are there, in five languages over a release of their own (186,080 verdicts in all), and what a
visitor waits for is measured: whole pages of the web application on that evaluator over gRPC, each after one change,
both in one event loop, so that its stalls are those of either.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import httpx2
import numpy as np
import sqlalchemy as sa

sys.path.insert(0, str(Path(__file__).parent))
from pulse import Pulse

from evaluator.adapters.messages import BoardAnswers
from evaluator.adapters.resemblances import SqlResemblances
from evaluator.adapters.store import SqlStore
from evaluator.adapters.tables import ATTEMPTS, RUNS, TASK_SETS, TASKS
from evaluator.app import MIGRATIONS
from evaluator.domain.specification import ids_text, task_set
from evaluator.rpc import EvaluatorServicer
from evaluator.usecases.boards import Boards
from touchstone.evaluator.v1 import evaluator_pb2 as pb
from touchstone.evaluator.v1 import evaluator_pb2_grpc as rpc
from touchstone.pbt_generator.v1 import pbt_generator_pb2 as generator
from touchstone.pbt_generator.v1 import pbt_generator_pb2_grpc as generator_rpc
from touchstone_local import postgres
from touchstone_runtime import collecting
from touchstone_runtime.database import Database
from touchstone_web.app import create_app
from touchstone_web.services import NAMES, Services
from touchstone_web.settings import WebSettings

LANGUAGES = ("python", "javascript", "typescript", "java", "go")
# A run of the first set, and the digest of the release that was asked in five languages.
RUN, MANY = f"{0:032d}", "e" * 64


def ids_of(tasks: int) -> list[str]:
    """The ids of so many tasks."""
    return [f"{number:032x}" for number in range(tasks)]


async def fill(database: Database, tasks: int) -> None:
    """Write tasks that can be asked in five languages."""
    signatures = dict.fromkeys(LANGUAGES, "def f(x):")
    text = {"instruction": "Return it. " * 40, "signatures": signatures, "prelude": "", "path": "a.py"}
    async with database.session() as session:
        await session.execute(
            sa.insert(TASKS),
            [
                text
                | {"task_id": each, "function_id": each, "kind": "SC", "difficulty": "Easy", "entry_point": "f"}
                | {"suite_digest": "s", "cases": 500, "source": f"p{number % 60}", "version": "1", "qualname": "f"}
                | {"licence": "MIT", "released_at": "2026-01-01", "complexity": 3, "form": "function"}
                for number, each in enumerate(ids_of(tasks))
            ],
        )


async def run_all(
    database: Database, tasks: int, numbers: range, release: str, digest: str, languages: Sequence[str]
) -> None:
    """Write runs at full coverage, with programs of an ordinary length; those next to each other differ in language."""
    draw, ids = np.random.default_rng(numbers.start + 1), ids_of(tasks)
    chosen = task_set("release", release, ids, digest)
    async with database.session() as session:
        for place, number in enumerate(numbers):
            run_id, model = f"{number:032d}", f"m{place // len(languages)}"
            language = languages[place % len(languages)]
            named = {"model": model, "endpoint": "m", "strategy": "direct", "variant": "", "language": language}
            rest = {
                "tasks": vars(chosen),
                "bounds": [],
                "model_digest": "",
                "samples": 1,
                "temperature": 0.0,
                "seed": 0,
            }
            more = {"prompts": "", "halted": "", "spec": rest, "withdrawn": "", "revision": 1}
            await session.execute(sa.insert(RUNS), {"run_id": run_id, **named, **more})
            passed = draw.random(tasks) < 0.1 + 0.8 * place / len(numbers)
            await session.execute(
                sa.insert(ATTEMPTS),
                [
                    {"run_id": run_id, "task_id": each, "sample": 0, "requested": True, "solution_id": each}
                    | {
                        "code": "x = 1\n" * 200,
                        "steps": [{"name": "answer", "outcome": "program", "answer": "y" * 1000}],
                        "failures": [],
                    }
                    | {"early_detail": "", "tokens_in": 100, "tokens_out": 50, "seconds": 1.0, "cost_usd": 0.01}
                    | {"calls": 1, "outcome": "passed" if good else "wrong_output", "cases": 500, "passed": 400}
                    | {"detail": "", "wall_s": 1.0, "cpu_s": 1.0, "memory_bytes": 1}
                    for each, good in zip(ids, passed, strict=True)
                ],
            )
        if not numbers.start:
            # Both have the same tasks.
            kept = {"digest": chosen.digest, "task_ids": json.loads(ids_text(ids))}
            await session.execute(sa.insert(TASK_SETS).values(kept))


async def page(boards: Boards, answers: BoardAnswers) -> tuple[float, Pulse, int]:
    """Seconds for one board as bytes, how the loop fared, and the number of bytes."""

    async def board() -> bytes:
        return (await asyncio.to_thread(answers.answer, *await boards.board())).SerializeToString()

    return await timed(board)


async def timed(call: Callable[[], Awaitable[bytes]]) -> tuple[float, Pulse, int]:
    """The same of any call that gives bytes."""
    pulse = Pulse()
    beating = asyncio.create_task(pulse.beat())
    await asyncio.sleep(0.01)
    started = time.perf_counter()
    data = await call()
    took = time.perf_counter() - started
    # What was done last counts as well.
    await asyncio.sleep(0.003)
    beating.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await beating
    return took, pulse, len(data)


def say(what: str, times: list[tuple[float, Pulse, int]], **more: object) -> None:
    """Print one line."""
    took = sorted(each[0] for each in times)
    p95 = took[min(len(took) - 1, round(0.95 * len(took)))]
    line = {"what": what, "pages": len(times), "p50_ms": round(1000 * statistics.median(took), 1)}
    line |= {"p95_ms": round(1000 * p95, 1), "loop_stalled_ms": round(1000 * max(each[1].longest for each in times), 1)}
    line |= {"loop_busy_ms": round(1000 * max(each[1].busiest for each in times), 1)}
    sys.stdout.write(json.dumps(line | {"bytes": times[-1][2]} | more) + "\n")
    sys.stdout.flush()


class NoLists:
    """Every set of tasks is in the store."""

    async def put(self, task_ids):
        raise AssertionError(task_ids)

    async def get(self, digest):
        return None


async def measure(url: str, runs: int, tasks: int) -> None:
    database = Database(url, "evaluator", MIGRATIONS)
    await database.migrate()
    await fill(database, tasks)
    await run_all(database, tasks, range(runs), "2026-06", "d" * 64, LANGUAGES[:1])
    store = SqlStore(database.session)
    boards, answers = Boards(store, NoLists()), BoardAnswers()
    # As a service does when it is wired.
    collecting.keep()
    sizes = {"runs": runs, "tasks": tasks}
    say("cold", [await page(boards, answers)], **sizes)
    changed = []
    for number in range(20):
        await store.set_withdrawn(f"{number:032d}", "")
        changed.append(await page(boards, answers))
    say("after one change", changed, **sizes)
    say("unchanged", [await page(boards, answers) for _ in range(100)], **sizes)
    models = SimpleNamespace(cutoff=lambda _model: "2025-12")
    parts: Any = SimpleNamespace(
        store=store, boards=boards, resemblances=SqlResemblances(database.session), models=models
    )
    unused: Any = None
    servicer = EvaluatorServicer(parts, left_out="", report_url="", lag=unused, standstill=unused)
    await others(store, servicer, sizes)
    await run_all(database, tasks, range(runs, 2 * runs), "2026-07", MANY, LANGUAGES)
    sizes |= {"runs": 2 * runs, "verdicts": 2 * runs * tasks}
    async with visitor(servicer, tasks) as visit:
        await visited(store, visit, sizes)
    await database.close()


async def others(store: SqlStore, servicer: EvaluatorServicer, sizes: dict[str, int]) -> None:
    """The calls of the pages of runs, one run, a model, all tasks and one task."""
    unused: Any = None
    run, task = RUN, f"{0:032x}"
    calls: list[tuple[str, Any, Any]] = [
        ("ListRuns", servicer.ListRuns, pb.ListRunsRequest()),
        ("GetRun", servicer.GetRun, pb.GetRunRequest(run_id=run)),
        ("GetRunProfile", servicer.GetRunProfile, pb.GetRunProfileRequest(run_id=run)),
        ("Leaderboard", servicer.Leaderboard, pb.LeaderboardRequest(wording="both")),
        ("ListTaskScores", servicer.ListTaskScores, pb.ListTaskScoresRequest()),
        ("GetTaskAnswers", servicer.GetTaskAnswers, pb.GetTaskAnswersRequest(task_id=task)),
    ]
    for name, method, request in calls:
        times: list[tuple[float, Pulse, int]] = []

        async def call(method: Any = method, request: Any = request) -> bytes:
            return (await method(request, unused)).SerializeToString()

        for _ in range(20):
            await store.set_withdrawn(run, "")
            times.append(await timed(call))
        say(name, times, **sizes)


class Generator(generator_rpc.PbtGeneratorServiceServicer):
    """The tasks as their maker has them."""

    def __init__(self, tasks: int) -> None:
        place = {"repository": "p", "path": "a.py", "qualname": "f"}
        self._tasks = [
            generator.Task(
                task_id=each, kind="SC", difficulty="Easy", entry_point="f", instruction="Return it. " * 40,
                location=place, cases=500, complexity=3, form="function",
            )
            for each in ids_of(tasks)
        ]  # fmt: skip

    async def ListTasks(self, request: Any, context: Any) -> generator.ListTasksResponse:
        return generator.ListTasksResponse(tasks=self._tasks)

    async def GetTask(self, request: generator.GetTaskRequest, context: Any) -> generator.GetTaskResponse:
        return generator.GetTaskResponse(task=self._tasks[int(request.task_id, 16)], ground_truth="def f(x): ...")


@contextlib.asynccontextmanager
async def visitor(servicer: EvaluatorServicer, tasks: int) -> AsyncIterator[httpx2.AsyncClient]:
    """Whoever opens pages of the web application, with the services behind it on a port of this machine."""
    server = grpc.aio.server()
    rpc.add_EvaluatorServiceServicer_to_server(servicer, server)
    generator_rpc.add_PbtGeneratorServiceServicer_to_server(Generator(tasks), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        app = create_app(Services(dict.fromkeys(NAMES, channel)), WebSettings())
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            yield client
    await server.stop(None)


async def visited(store: SqlStore, visit: httpx2.AsyncClient, sizes: dict[str, int]) -> None:
    """The pages that hang on verdicts, and what is loaded from them."""
    first, last = f"{0:032x}", f"{sizes['runs'] - 1:032d}"
    addresses = {
        "board": "/?scope=2026-06", "CSV": "/board.csv?scope=2026-06", "JSON with pairs": "/board.json?scope=2026-06",
        "languages": f"/languages?scope={MANY}", "a language's board": f"/?scope={MANY}&language=go",
        "runs": "/runs", "a run": f"/runs/{RUN}", "a model": "/models/m0", "tasks": "/tasks?sort=hardest",
        "a task": f"/tasks/{first}", "two answers": f"/tasks/{first}?a={RUN}&b={last}",
        "an answer": f"/runs/{RUN}/tasks/{first}",
    }  # fmt: skip
    for name, address in addresses.items():

        async def opened(address: str = address) -> bytes:
            answer = await visit.get(address)
            answer.raise_for_status()
            return answer.content

        # The first of all reads every run; it is the start of a service, which its own line above tells of.
        await opened()
        times: list[tuple[float, Pulse, int]] = []
        for number in range(20):
            await store.set_withdrawn(RUN if number % 2 else last, "")
            times.append(await timed(opened))
        say(f"page: {name}", times, **sizes)


def main() -> None:
    """Measure on a database of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=80)
    parser.add_argument("--tasks", type=int, default=1163)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, postgres.start(Path(scratch) / "postgres") as server:
        asyncio.run(measure(server.url, chosen.runs, chosen.tasks))


if __name__ == "__main__":
    main()
