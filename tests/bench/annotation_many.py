"""How fast lists and progress are with 400,000 labels on a real PostgreSQL, and what memory exports take; JSON lines.

    python tests/bench/annotation_many.py [--labels 400000] [--rounds 200] [--parts lists waiting exports] [--explain]

A list is the first page of 100 labels, a page from all over, or a page of what a filter admits, as `ListPairs` has
it, message and all: for each set of conditions that may be put together, values in turn, every one of them. Before each
round one label is looked up by its key: `times_look_up` is the ratio of the medians. The review queue is measured after
10,000 pairs were reviewed by two people and 5,000 by one alone. Exports run in processes of their own, whose largest
resident size is told, whole and without what libraries alone take (`nothing`): the training data, the creation of a
release, and a release's files in each format.
Proposed pairs wait in the same number: how many there are of each state, the first hundred, and taking one.
Times by the clock hold what else the machine does. Beside them stands what Linux tells of the two processes that work
here, one after the other: `database_p99_ms` is how long PostgreSQL's process computed, `own_cpu_p99_ms` how long this
one did, and `alone_p99_ms` is the time by the clock less the time in which one of them could have gone on and had no
processor. `--explain` prints for each list which pages PostgreSQL reads for it and how long that takes there.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from annotator.adapters.exporters import EXPORTERS
from annotator.adapters.labels import SqlLabels, page_of
from annotator.adapters.releases import SqlPool, SqlReleases
from annotator.adapters.reviews import SqlReviews
from annotator.adapters.tables import WAITING
from annotator.adapters.waiting import SqlWaiting
from annotator.app import MIGRATIONS
from annotator.domain.release import Selection
from annotator.domain.review import agreement_of
from annotator.domain.training import training_lines
from annotator.ports import EVERY, StoredLabel, Wanted
from annotator.rpc import to_counters, to_message
from annotator.usecases.releases import ReleaseDesk
from touchstone_local import postgres
from touchstone_runtime import collecting
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.database import Database
from touchstone_runtime.exported import BlobParts

BARS = {"p99_ms": 50.0, "own_mb": 200.0}
PAGE = 100
# What a list may be narrowed by; a language and a decider that no label has are among them.
VALUES: dict[str, tuple[Any, ...]] = {
    "outcome": ("yes", "no", "undecided"),
    "decided_by": ("screener", "arbiter", "execution", "default", "person", "nobody"),
    "language": ("python", "java", "go", "php", "cobol"),
    "disputed": (True,),
}
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
# A row as the method leaves it: code of 20 lines, five steps, every kind of label in the shares that the paper tells.
_FILL = """
insert into labels (
    pair_id, method_id, query_id, query, function_id, code, language, name, repository, version, path, qualname,
    on_demand, label, reason, decided_by, unclear, self_reported, executed, assertions, audit, record_digest, steps,
    tokens_in, tokens_out, seconds, cost_usd, calls, labelled_at, score, licence
)
select
    md5('pair' || n), 'full-1', md5('query' || n / 20), 'how to do thing number ' || n / 20 || ' in a few words',
    md5('code' || n % 130000), 'def f_' || n % 130000 || E'(values):\n' || repeat(E'    values = sorted(values)\n', 20),
    case when n % 50 = 1 then 'go' when n % 33 = 2 then 'php' when n % 20 = 3 then 'java' else 'python' end,
    'f', 'repository-' || n % 2000, '1.0', 'src/a.py', 'f', false,
    case when n % 20 = 7 then null when n % 10 < 3 then 1 else 0 end, repeat('because it sorts ', 8),
    case when n % 20 = 7 then 'default' when n % 1000 = 0 then 'person' when n % 10 = 1 then 'execution'
         when n % 4 = 2 then 'arbiter' else 'screener' end,
    n % 3 = 0, n % 7 = 0, case when n % 3 = 0 then n % 5 <> 0 end, 4,
    case when n % 20 = 7 then null when n % 40 = 9 then 1 else case when n % 10 < 3 then 1 else 0 end end,
    md5('r' || n) || md5('s' || n), (select jsonb_agg(jsonb_build_object('name', 'screener', 'outcome', 'unclear',
        'detail', repeat('it must be run ', 6), 'model', 'm', 'tokens_in', 400, 'tokens_out', 40, 'elapsed_s', 1.5,
        'cost_usd', 0.0001)) from generate_series(1, 5)),
    2000, 200, 7.5, 0.0005, 5, timestamptz '2026-01-01' + n * interval '1 second', (n % 1000) / 1000.0, 'MIT'
from generate_series({first}, {last}) as n
"""


async def fill(database: Database, count: int, table: str = "labels") -> None:
    """Write the rows, and let the planner know of them, as its own process does by and by."""
    rows = {"labels": _FILL, "waiting": _WAIT}[table]
    for first in range(1, count + 1, 20_000):
        async with database.session() as session:
            await session.execute(sa.text(rows.format(first=first, last=min(first + 19_999, count))))
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{first} of {count} rows of {table}")
    async with database.session() as session:
        await session.execute(sa.text(f"analyze {table}"))


# Proposed pairs as pools leave them; one in a hundred was set aside, one in ten thousand is begun.
_WAIT = """
insert into waiting (pair_id, query_id, pair, worth, judged, priority, begun, tries, aside)
select
    md5('wait' || n), md5('asked' || n / 20), jsonb_build_object(
        'pair_id', md5('wait' || n), 'query_id', md5('asked' || n / 20), 'query', 'how to do thing number ' || n / 20,
        'function_id', md5('code' || n), 'language', 'python', 'imports', jsonb_build_array('import re'),
        'code', 'def f_' || n || E'(values):\n' || repeat(E'    values = sorted(values)\n', 20)
    ),
    1.0 / (1 + n % 20), 0, 1.0 / (1 + n % 20), n % 10000 = 0, 0, case when n % 100 = 3 then 'it broke' else '' end
from generate_series({first}, {last}) as n
"""

Work = Callable[[int], Awaitable[int]]


def processor(processes: Sequence[int]) -> tuple[float, float]:
    """How long these processes have computed, and how long they could have and had no processor; milliseconds."""
    told = [Path(f"/proc/{process}/schedstat").read_text().split() for process in processes]
    return sum(int(each[0]) for each in told) / 1e6, sum(int(each[1]) for each in told) / 1e6


async def timed(what: str, rounds: int, work: Work, look_up: Work, database: Database) -> None:
    """Print one line on a piece of work that says how many rows it gave."""
    await work(0)
    async with database.session() as session:
        found = await session.execute(
            sa.text("select pid from pg_stat_activity where datname = current_database() and backend_type = :kind"),
            {"kind": "client backend"},
        )
        backends = list(found.scalars())
    took: list[float] = []
    used: list[float] = []
    inside: list[float] = []
    alone: list[float] = []
    bare: list[float] = []
    rows: list[int] = []
    for number in range(rounds):
        begun = time.perf_counter()
        await look_up(number)
        own, its = processor([os.getpid()]), processor(backends)
        started = time.perf_counter()
        rows.append(await work(number))
        took.append(1000 * (time.perf_counter() - started))
        own_now, its_now = processor([os.getpid()]), processor(backends)
        used.append(own_now[0] - own[0])
        inside.append(its_now[0] - its[0])
        alone.append(took[-1] - (own_now[1] - own[1]) - (its_now[1] - its[1]))
        bare.append(1000 * (started - begun))
    p99, busy, in_database, by_itself, bare_p99 = (
        sorted(values)[min(rounds - 1, round(0.99 * rounds))] for values in (took, used, inside, alone, bare)
    )
    median, plain = statistics.median(took), statistics.median(bare)
    line = {"what": what, "rows": round(sum(rows) / rounds, 1), "rounds": rounds, "p50_ms": round(median, 1)}
    say(
        line
        | {
            "p99_ms": round(p99, 1),
            "database_p99_ms": round(in_database, 1),
            "own_cpu_p99_ms": round(busy, 1),
            "alone_p99_ms": round(by_itself, 1),
            "look_up_p50_ms": round(plain, 1),
            "look_up_p99_ms": round(bare_p99, 1),
            "times_look_up": round(median / plain, 1),
            "held": p99 <= BARS["p99_ms"],
            "held_alone": by_itself <= BARS["p99_ms"],
            "load": round(os.getloadavg()[0], 1),
        }
    )


def say(line: dict[str, object]) -> None:
    """Print one line."""
    sys.stdout.write(json.dumps({"bench": "annotation_many", **line}) + "\n")
    sys.stdout.flush()


async def explained(database: Database, names: tuple[str, ...]) -> None:
    """Print what PostgreSQL itself says of a list by these conditions, whichever values they have: the most of each."""
    pages: list[int] = []
    took: list[float] = []
    for values in itertools.product(*(VALUES[name] for name in names)):
        statement = page_of(PAGE, Wanted(**dict(zip(names, values, strict=True))))
        words = statement.compile(dialect=postgresql.dialect(), compile_kwargs={"literal_binds": True})
        async with database.session() as session:
            told = (await session.execute(sa.text(f"explain (analyze, buffers, format json) {words}"))).scalar_one()
        plan = told[0]
        pages.append(plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"])
        took.append(plan["Planning Time"] + plan["Execution Time"])
    what = f"explained: {' and '.join(names) or 'no condition'}"
    say({"what": what, "values": len(pages), "most_pages": max(pages), "most_ms": round(max(took), 1)})


async def lists(url: str, count: int, rounds: int, *, explain: bool = False) -> None:
    """Time lists, progress and the review queue."""
    database = Database(url, "annotator", MIGRATIONS)
    await database.migrate()
    started = time.perf_counter()
    await fill(database, count)
    # As the service does once it is wired: else full collections of what libraries made are counted as ours.
    collecting.keep()
    say({"what": "filled", "labels": count, "seconds": round(time.perf_counter() - started, 1)})
    labels, reviews = SqlLabels(database.session), SqlReviews(database.session)

    def size(found: list[StoredLabel]) -> int:
        assert all(to_message(label).ByteSize() for label in found)
        return len(found)

    async def progress(_: int) -> int:
        return len(to_counters(await labels.counts(), 0))

    async def deep(number: int) -> int:
        place = FIRST + timedelta(seconds=(number + 1) * count // (rounds + 1))
        return size(await labels.newest(PAGE, EVERY, (place, "8" * 32)))

    async def one(number: int) -> int:
        words = f"how to do thing number {number * 97 % (count // 20)} in a few words"
        return size(await labels.newest(PAGE, Wanted(query=words)))

    async def look_up(number: int) -> int:
        key = hashlib.md5(f"pair{number * 7919 % count + 1}".encode(), usedforsecurity=False).hexdigest()
        found = await labels.find(key, "full-1")
        assert found is not None
        return to_message(found).ByteSize()

    async def bare(what: str, work: Work) -> None:
        await timed(what, rounds, work, look_up, database)

    await bare("progress", progress)
    await bare("pages from all over", deep)
    await bare("one query's pairs", one)
    for names in (chosen for size_ in range(5) for chosen in itertools.combinations(VALUES, size_)):
        if explain:
            await explained(database, names)
        values = list(itertools.product(*(VALUES[name] for name in names)))
        # So that a few rounds meet values of every kind.
        random.Random(1).shuffle(values)

        async def listed(number: int, names: Any = names, values: Any = values) -> int:
            wanted = Wanted(**dict(zip(names, values[number % len(values)], strict=True)))
            return size(await labels.newest(PAGE, wanted))

        await bare(" and ".join(names) or "no condition", listed)
    await reviewed(database)
    for reviewer in ("alone", "somebody new"):

        async def queue(_: int, reviewer: str = reviewer) -> int:
            return int(await reviews.next_pair(reviewer) is not None)

        async def dispute(_: int, reviewer: str = reviewer) -> int:
            return int(bool(await reviews.next_dispute(reviewer)))

        await bare(f"the next pair to review, for {reviewer}", queue)
        await bare(f"the next dispute, for {reviewer}", dispute)

    async def agreement(_: int) -> int:
        opinions, compared, decided = await reviews.figures()
        return agreement_of(opinions, compared, decided).pairs

    await bare("agreement of reviewers", agreement)
    await database.close()


async def queue_of_pools(url: str, count: int, rounds: int) -> None:
    """Time what is asked of the pairs that wait to be judged; before each round one of them is looked up by its key."""
    database = Database(url, "annotator", MIGRATIONS)
    await database.migrate()
    await fill(database, count, "waiting")
    collecting.keep()
    waiting = SqlWaiting(database.session)

    async def look_up(number: int) -> int:
        key = hashlib.md5(f"wait{number * 7919 % count + 1}".encode(), usedforsecurity=False).hexdigest()
        async with database.session() as session:
            found = await session.execute(sa.select(WAITING).where(WAITING.c.pair_id == key))
        return len(found.all())

    async def states(_: int) -> int:
        return len((await waiting.state()).kinds())

    async def first_ones(_: int) -> int:
        return len(await waiting.listed(PAGE))

    async def take(_: int) -> int:
        pair = await waiting.take()
        assert pair is not None
        await waiting.give_back(pair.pair_id)
        return 1

    works = {"by state": states, "the first ones": first_ones, "taken and given back": take}
    for what, work in works.items():
        await timed(f"waiting pairs: {what}", rounds, work, look_up, database)
    await database.close()


async def reviewed(database: Database) -> None:
    """Give opinions: two people on 10,000 pairs, of one in ten different ones, and one alone on what stands first."""
    both = "select md5('pair' || n * 7 + 7) from generate_series(1, 10000) as n"
    steps = (
        "insert into reviews (pair_id, reviewer, opinion, note) "
        "select md5('pair' || n * 7 + 7), name, case when n % 10 = 0 and name = 'b' then 'no' else 'yes' end, '' "
        "from generate_series(1, 10000) as n, (values ('a'), ('b')) as names(name)",
        "insert into adjudications (pair_id, reviewer, opinion, note) "
        "select md5('pair' || n * 7 + 7), 'c', 'yes', '' from generate_series(10, 9990, 10) as n",
        f"create temporary table decided as select * from labels where pair_id in ({both}) and decided_by <> 'person'",
        "update labels set current = false where pair_id in (select pair_id from decided)",
        "update decided set method_id = 'person-review', label = 1, decided_by = 'person', audit = null, score = null",
        "insert into labels select * from decided",
        "insert into reviews (pair_id, reviewer, opinion, note) select pair_id, 'alone', 'yes', '' from labels "
        "where current and audit <> label and decided_by <> 'person' order by labelled_at desc, pair_id limit 5000",
        "analyze",
    )
    async with database.session() as session:
        for step in steps:
            await session.execute(sa.text(step))


async def piece(url: str, folder: str, what: str) -> None:
    """One export, in a process of its own; prints how many bytes it gave."""
    database = Database(url, "annotator", MIGRATIONS)
    blobs = BlobStore(f"file://{folder}/blobs")
    desk = ReleaseDesk(SqlPool(database.session), SqlReleases(database.session), blobs, BlobParts(blobs), EXPORTERS)
    size = 0
    if what == "training":
        async for line in training_lines(SqlLabels(database.session).training()):
            size += len(line) + 1
    elif what == "release":
        size = (await desk.create("one", Selection()))[0].pairs
    elif what in EXPORTERS:
        async for part in desk.export("one", what):
            size += len(part.data)
    print(size)
    await database.close()


def exports(url: str, folder: str) -> None:
    """Tell the largest resident size of each export's process, and how much of it is not the libraries'."""
    empty = 0.0
    for what in ("nothing", "training", "release", *EXPORTERS):
        command = [sys.executable, __file__, "--piece", what, "--url", url, "--folder", folder]
        started = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            given = process.stdout.read().strip()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{what}: exit code {process.returncode}")
        peak = usage.ru_maxrss / 1024
        line = {"what": f"export: {what}", "given": int(given), "seconds": round(time.perf_counter() - started, 1)}
        empty = empty or peak
        say(
            line | {"peak_mb": round(peak, 1), "own_mb": round(peak - empty, 1), "held": peak - empty <= BARS["own_mb"]}
        )


def main() -> None:
    """Measure on a database of its own."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--labels", type=int, default=400_000)
    parser.add_argument("--rounds", type=int, default=200)
    parts = ("lists", "waiting", "exports")
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts, help="exports need the labels of lists")
    parser.add_argument("--explain", action="store_true", help="tell what PostgreSQL reads for each list, too")
    parser.add_argument("--piece", help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.piece:
        asyncio.run(piece(chosen.url, chosen.folder, chosen.piece))
        return
    with tempfile.TemporaryDirectory() as scratch, postgres.start(Path(scratch) / "postgres") as server:
        if "lists" in chosen.parts:
            asyncio.run(lists(server.url, chosen.labels, chosen.rounds, explain=chosen.explain))
        if "waiting" in chosen.parts:
            asyncio.run(queue_of_pools(server.url, chosen.labels, chosen.rounds))
        if "exports" in chosen.parts:
            exports(server.url, scratch)


if __name__ == "__main__":
    main()
