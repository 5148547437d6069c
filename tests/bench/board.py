"""How long a board takes at 80 runs of 1,163 tasks on a real PostgreSQL, and whether the event loop goes on meanwhile.

JSON lines; `python tests/bench/board.py [--runs 80] [--tasks 1163]`. A page is timed cold (all read and computed),
after one verdict more (one run read again, the board computed again), and unchanged. The calls of the other pages
follow, each after such a change.
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
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

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
from touchstone_local import postgres
from touchstone_runtime import collecting
from touchstone_runtime.database import Database


async def fill(database: Database, runs: int, tasks: int) -> None:
    """Write runs at full coverage, with programs of an ordinary length."""
    draw = np.random.default_rng(1)
    ids = [f"{number:032x}" for number in range(tasks)]
    text = {"instruction": "Return it. " * 40, "signatures": {"python": "def f(x):"}, "prelude": "", "path": "a.py"}
    chosen = task_set("release", "2026-06", ids, "d" * 64)
    async with database.session() as session:
        await session.execute(
            sa.insert(TASKS),
            [
                text
                | {"task_id": each, "function_id": each, "kind": "SC", "difficulty": "Easy", "entry_point": "f"}
                | {"suite_digest": "s", "cases": 500, "source": f"p{number % 60}", "version": "1", "qualname": "f"}
                | {"licence": "MIT", "released_at": "2026-01-01", "complexity": 3, "form": "function"}
                for number, each in enumerate(ids)
            ],
        )
        for number in range(runs):
            run_id = f"{number:032d}"
            named = {"model": f"m{number}", "endpoint": "m", "strategy": "direct", "variant": "", "language": "python"}
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
            passed = draw.random(tasks) < 0.1 + 0.8 * number / runs
            await session.execute(
                sa.insert(ATTEMPTS),
                [
                    {"run_id": run_id, "task_id": each, "sample": 0, "requested": True, "solution_id": each}
                    | {"code": "x = 1\n" * 200, "steps": [{"name": "answer", "answer": "y" * 1000}], "failures": []}
                    | {"early_detail": "", "tokens_in": 100, "tokens_out": 50, "seconds": 1.0, "cost_usd": 0.01}
                    | {"calls": 1, "outcome": "passed" if good else "wrong_output", "cases": 500, "passed": 400}
                    | {"detail": "", "wall_s": 1.0, "cpu_s": 1.0, "memory_bytes": 1}
                    for each, good in zip(ids, passed, strict=True)
                ],
            )
        kept = {"digest": chosen.digest, "task_ids": json.loads(ids_text(ids))}
        await session.execute(sa.insert(TASK_SETS).values(kept))


async def page(boards: Boards, answers: BoardAnswers) -> tuple[float, Pulse, int]:
    """Seconds for one board as bytes, how the loop fared, and the number of bytes."""

    async def board() -> pb.GetBoardResponse:
        return await asyncio.to_thread(answers.answer, *await boards.board())

    return await timed(board)


async def timed(call: Callable[[], Awaitable[Any]]) -> tuple[float, Pulse, int]:
    """The same of any call."""
    pulse = Pulse()
    beating = asyncio.create_task(pulse.beat())
    await asyncio.sleep(0.01)
    started = time.perf_counter()
    data = (await call()).SerializeToString()
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
    await fill(database, runs, tasks)
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
    await others(store, boards, SqlResemblances(database.session), sizes)
    await database.close()


async def others(store: SqlStore, boards: Boards, resemblances: SqlResemblances, sizes: dict[str, int]) -> None:
    """The calls of the pages of runs, one run, a model, all tasks and one task."""
    models = SimpleNamespace(cutoff=lambda _model: "2025-12")
    parts: Any = SimpleNamespace(store=store, boards=boards, resemblances=resemblances, models=models)
    unused: Any = None
    servicer = EvaluatorServicer(parts, left_out="", report_url="", lag=unused, standstill=unused)
    run, task = f"{0:032d}", f"{0:032x}"
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
        for _ in range(20):
            await store.set_withdrawn(run, "")
            times.append(await timed(lambda method=method, request=request: method(request, unused)))
        say(name, times, **sizes)


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
