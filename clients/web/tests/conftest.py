"""The application on fake services behind a real gRPC transport."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from functools import partial
from pathlib import Path
from runpy import run_path
from typing import Any

import grpc
import pytest
from starlette.testclient import TestClient

from touchstone.annotator.v1 import annotator_pb2 as annotator
from touchstone.common.v1 import code_pb2, progress_pb2
from touchstone.evaluator.v1 import evaluator_pb2 as pb
from touchstone.ingester.v1 import ingester_pb2 as ingester
from touchstone.pbt_generator.v1 import pbt_generator_pb2 as generator
from touchstone.retriever.v1 import retriever_pb2 as retriever
from touchstone_web.app import create_app
from touchstone_web.services import NAMES, Services
from touchstone_web.settings import WebSettings


class FakeServices(Services):
    """Answers by `service.Method`: a message, an exception, or a function of the request; else the service is away."""

    def __init__(self, answers: dict[str, object]) -> None:
        super().__init__({})
        self.answers = answers
        self.asked: list[tuple[str, Any]] = []
        # Calls that were made with a visitor's token.
        self.tokens: list[tuple[str, str]] = []

    async def call(self, service: str, method: str, request: Any, *, timeout_s: float = 0.0, token: str = "") -> Any:
        assert service in NAMES
        if token:
            self.tokens.append((method, token))
        self.asked.append((f"{service}.{method}", request))
        answer = self.answers.get(f"{service}.{method}")
        if answer is None:
            raise fault(grpc.StatusCode.UNAVAILABLE, f"the {service} is away")
        if callable(answer):
            answer = answer(request)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def stream(self, service: str, method: str, request: Any, *, timeout_s: float) -> AsyncGenerator[Any]:
        """The pieces of an answer: what can be called is waited for until it gives true, exceptions are raised."""
        try:
            for piece in await self.call(service, method, request):
                if isinstance(piece, Exception):
                    raise piece
                while callable(piece) and not piece():
                    await asyncio.sleep(0.01)
                if not callable(piece):
                    yield piece
        finally:
            self.asked.append((f"{service}.{method} ended", request))


def fault(code: grpc.StatusCode, words: str) -> grpc.aio.AioRpcError:
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(), details=words)


@pytest.fixture
def visit() -> Callable[..., TestClient]:
    """A visitor of the application on the given answers."""

    def make(answers: dict[str, object] | None = None, **settings: Any) -> TestClient:
        services = FakeServices(world() if answers is None else answers)
        client = TestClient(create_app(services, WebSettings(**settings)), raise_server_exceptions=True)
        client.services = services  # type: ignore[attr-defined]
        return client

    return make


@pytest.fixture
def fault_of() -> Callable[[grpc.StatusCode, str], grpc.aio.AioRpcError]:
    return fault


# The generator's tasks, and what must never run wherever it is shown.
KNOWN_TASKS = run_path(str(Path(__file__).with_name("known_tasks.py")))
HOSTILE = KNOWN_TASKS["HOSTILE"]
MODELS = ("strong-70b", "solid-32b", "near-30b", "small-7b", "tiny-0.5b@localhost:8080", HOSTILE)


def spec(model: str, strategy: str = "direct") -> pb.RunSpec:
    tasks = pb.TaskSet(digest="d" * 64, kind="release", name="2026-06", count=200, release="e" * 64)
    return pb.RunSpec(
        tasks=tasks,
        language="python",
        strategy=strategy,
        model=model,
        samples=1,
        bounds={"tokens": 1024},
        prompts="p:1",
    )


def memory_gap() -> pb.MemoryGap:
    """A run that solves more under the names that its model may know."""
    ends = {"plain": (0.75, 0.6, 0.9), "neutral": (0.5, 0.3, 0.7), "gap": (0.25, 0.05, 0.45)}
    found = {name: pb.Interval(value=value, low=low, high=high) for name, (value, low, high) in ends.items()}
    counts = {"tasks": 61, "repositories": 9, "left_out": 12, "missing": 1, "only_plain": 20, "only_neutral": 5}
    return pb.MemoryGap(**found, **counts, p=0.0041, decided=True, plain_run="0" * 32, neutral_run="1" * 32)


def board(request: pb.GetBoardRequest) -> pb.GetBoardResponse:
    if request.scope == "nothing":
        raise fault(grpc.StatusCode.NOT_FOUND, "nothing: no set of tasks with runs is called so")
    draw = random.Random(4)
    scope = pb.Scope(
        digest="e" * 64, kind="release", name="2026-06", tasks=200, runs=len(MODELS), languages=["go", "python"]
    )
    answer = pb.GetBoardResponse(
        scope=scope, language="python", mode=request.mode or "greedy", scopes=[scope], digest="f" * 64, repositories=23,
        wording=request.wording or "described", tasks=200, tasks_elsewhere=31,
    )  # fmt: skip
    if request.wording == "by_example":
        answer.tasks, answer.tasks_elsewhere = 31, 200
    places = ((1, 1), (2, 3), (2, 3), (4, 4), (5, 5), (0, 0))
    for number, (model, (low, high)) in enumerate(zip(MODELS, places, strict=True)):
        value = 0.62 - 0.11 * number
        share = {"value": value, "low": value - 0.07, "high": value + 0.07} if low else {"value": 0.5, "high": 0.9}
        row = answer.rows.add(
            run=pb.RunSummary(run_id=f"{number}" * 32, spec=spec(model, "cocost" if number == 1 else "direct")),
            judged=200 if low else 40,
            tasks=200,
            **share,
            least=value if low else 0.1,
            most=value if low else 0.9,
            rank_low=low,
            rank_high=high,
            near_misses=number,
        )
        row.run.judged, row.run.passed = row.judged, int(row.judged * value)
        row.run.tokens_in, row.run.cost_usd = draw.randrange(10**5), draw.random()
        if "@" in model:
            # Nobody named its price.
            row.run.cost_usd = 0.0
        row.classes.add(outcome="success", count=row.run.passed)
        row.classes.add(outcome="test_failure", count=row.judged - row.run.passed)
        row.failures.add(outcome="wrong_output", count=row.judged - row.run.passed)
        for month, solved in (("2024-03", 9), ("2024-07", 6), ("2025-01", 5 + number % 3)):
            row.by_month.add(group=month, passed=solved, total=10, value=solved / 10, low=0.3, high=1.0)
        row.by_month.add(group="unknown", passed=1, total=2, value=0.5, high=1.0)
        row.pass_at.add(k=1, value=value, low=max(0, value - 0.1), high=value + 0.1)
    for a, b in ((0, 1), (1, 2)):
        answer.pairs.add(run_a=f"{a}" * 32, run_b=f"{b}" * 32, difference=0.1, low=0.02, high=0.2, decided=a == 0)
    answer.rows[0].memory.CopyFrom(memory_gap())
    return answer


def run(request: pb.GetRunRequest) -> pb.GetRunResponse:
    if request.run_id == "nothing":
        raise fault(grpc.StatusCode.NOT_FOUND, "nothing: no run has this id")
    answer = pb.GetRunResponse(
        run_id="0" * 32, model=MODELS[0], strategy="direct", language="python", tasks=3, finished=3, halted=""
    )
    answer.summary.CopyFrom(pb.RunSummary(run_id="0" * 32, spec=spec(MODELS[0]), answers=3, judged=3, passed=1))
    for number, outcome in enumerate(("passed", "wrong_output", "timed_out")):
        answer.results.add(
            task_id=f"{number:032x}",
            outcome=outcome,
            cases=50,
            passed=49,
            detail=HOSTILE,
            entry_point=f"f{number}",
            near_miss=number == 2,
            resembles=[near_mutant()] if number == 2 else [],
        )
    return part_of(answer, request)


def part_of(answer: pb.GetRunResponse, request: pb.GetRunRequest) -> pb.GetRunResponse:
    """What the evaluator gives of a run where a part of its answers is asked for."""
    if not request.HasField("most"):
        return answer
    found, part = list(answer.results), pb.GetRunResponse()
    part.CopyFrom(answer)
    fitting = [one for one in found if request.outcome in ("", one.outcome)]
    fitting = [one for one in found if one.near_miss] if request.outcome == "near_miss" else fitting
    del part.results[:]
    part.results.extend(fitting[request.start : request.start + request.most])
    part.total, part.near_misses = len(fitting), sum(one.near_miss for one in found)
    counted = Counter(one.outcome for one in found).most_common()
    part.outcomes.extend(pb.FailureCount(outcome=name, count=count) for name, count in counted)
    return part


def task_info() -> pb.TaskInfo:
    return pb.TaskInfo(
        task_id="0" * 32,
        kind="SC",
        difficulty="Easy",
        entry_point="normalise",
        instruction=f"Return the words.\nExample: {HOSTILE}",
        cases=50,
        source="wordkit",
        version="1.0",
        path="wordkit/words.py",
        qualname="normalise",
        licence="MIT",
        wording="described",
    )


def near_mutant() -> pb.Resemblance:
    counts = {"shared": 2, "either": 2, "alike": 2, "compared": 50, "cases": 50}
    return pb.Resemblance(line=2, change="text[1:] → text[<2>:]", how="the same 2 of 2 failed cases", **counts)


def given(number: int) -> pb.Answer:
    return pb.Answer(
        run_id=f"{number}" * 32,
        model=MODELS[number],
        strategy="direct",
        language="python",
        task_id="0" * 32,
        entry_point="normalise",
        outcome="passed" if number == 0 else "wrong_output",
        cases=50,
        passed=50 - number,
        detail="" if number == 0 else f"expected  2   spaces, got {HOSTILE}",
        failures=[
            pb.Failure(index=3, outcome="wrong_output", detail="expected  4, got\t5"),
            pb.Failure(index=17, outcome="raised", detail="ValueError"),
        ]
        if number
        else [],
        resembles=[near_mutant()] if number else [],
        code=f"def normalise(text):\n    return text.split()[{number}:]\n",
        steps=[json.dumps({"name": "answer", "outcome": "program", "answer": HOSTILE, "tried": ["it's <b>"]})],
    )


CODE = "\n".join(
    [
        "def shorten(text, width):",
        f'    """{HOSTILE}"""',
        "    # A comment & more",
        "    if len(text) <= width * 1.5:",
        "        return text",
        *["    text += '…'"] * 14,
        "    return text",
    ]
)


def indexed(name: str, number: int = 0) -> retriever.SearchResult:
    place = code_pb2.CodeLocation(
        repository="wordkit", version="1.2", path=f"wordkit/{name}.py", line_start=7, line_end=26, qualname=name
    )
    place.language, place.licence, place.released_at = "python", "MIT", "2026-01-01T00:00:00+00:00"
    result = retriever.SearchResult(location=place, score=0.6 - number / 10, code=CODE, function_id=f"{name}-1.2")
    result.form, result.summary = ("method" if number else "function"), HOSTILE
    result.streams.append("query")
    result.explanation.add(part="all-MiniLM-L6-v2", value=0.61, z=2.5, weight=0.7, contribution=1.75)
    result.duplicates.append(code_pb2.CodeLocation(repository="otherkit", path="src/text.py", line_start=3))
    result.more_duplicates = 30
    return result


def found(request: retriever.SearchRequest) -> retriever.SearchResponse:
    """Three results, one of them after the cursor; none where the question says "nothing", "unknown" hides the lag."""
    if request.filters.pattern == "(":
        raise fault(grpc.StatusCode.INVALID_ARGUMENT, "(: no regular expression: missing ), unterminated subpattern")
    if "nothing" in request.query:
        return retriever.SearchResponse(indexed=1234, mode="plain", note="nothing indexed matches")
    names = ["truncate"] if request.cursor else ["shorten", HOSTILE, "abbreviate"]
    lag = -1 if "unknown" in request.query else 7
    answer = retriever.SearchResponse(indexed=1234, index_lag=lag, mode=request.mode or "plain")
    answer.parts.extend(["all-MiniLM-L6-v2", "text", "crowding"])
    answer.results.extend(indexed(name, number) for number, name in enumerate(names))
    answer.next_cursor = "" if request.cursor else "next"
    answer.augmented_query = HOSTILE if request.mode == "augmented" else ""
    return answer


def pieces(request: retriever.StreamSearchRequest) -> list[Any]:
    """An augmented answer step by step; where the question says "slowly" the model never ends."""
    last, first = found(request.search), found(request.search)
    first.mode, first.augmented_query, first.next_cursor = "plain", "", ""
    enriched = retriever.SearchResponse.FromString(first.SerializeToString())
    enriched.augmented_query = last.augmented_query
    del last.results[1:]
    looked_up = retriever.LookUp(text=HOSTILE, found=indexed("truncate").location, function_id="truncate-1.2")
    told = [
        retriever.StreamSearchResponse(step="plain", answer=first, going_on="a model reads the question"),
        retriever.StreamSearchResponse(step="look_up", answer=first, look_ups=[looked_up]),
        retriever.StreamSearchResponse(
            step="enrich", answer=enriched, look_ups=[looked_up], going_on="the model writes such code"
        ),
    ]
    if "slowly" in request.search.query:
        return [*told, lambda: False]
    return [*told, retriever.StreamSearchResponse(step="answer", answer=last, look_ups=[looked_up])]


def versions() -> list[pb.VerdictVersion]:
    return [
        pb.VerdictVersion(outcome="raised", cases=50, passed=3),
        pb.VerdictVersion(judging=1, note=f"the sandbox was mended {HOSTILE}", outcome="passed", cases=50, passed=50),
    ]


def verdict_changes() -> pb.ListVerdictChangesResponse:
    before, after = versions()
    change = pb.VerdictChange(
        run_id="0" * 32, model=HOSTILE, strategy="direct", task_id="1" * 32, entry_point="f", before=before, after=after
    )
    return pb.ListVerdictChangesResponse(changes=[change])


def retrieval_scores(request: pb.ListRetrievalScoresRequest) -> pb.ListRetrievalScoresResponse:
    """Two retrievers on a release, one on the labels of now; an older score of another index in the history."""
    answer = pb.ListRetrievalScoresResponse()
    rows = [("2026-06", "plain", 0.61), ("2026-06", "plain:words", 0.5), ("(current)", HOSTILE, 0.4)]
    if request.history:
        rows.append(("(current)", "plain", 0.025))
    for labels, name, value in rows:
        row = answer.scores.add(labels=labels, retriever=name, queries=500, answerable=4000, unjudged_at_10=7)
        row.scored_at = "2026-06-02T10:00:00"
        older = value < 0.1
        row.labels_digest, row.generation, row.indexed = ("c" * 64, "", 77) if older else ("d" * 64, "g-12ab", 6267)
        row.method, row.index_digest = (1, "") if older else (2, "e" * 64)
        for measure in ("ndcg_at_10", "mrr", "map_at_10_of_all"):
            row.condensed[measure].CopyFrom(pb.Interval(value=value + 0.1, low=value + 0.05, high=value + 0.15))
            # Of the older score nobody knows what counts every unlabelled code as wrong.
            if not older:
                row.measures[measure].CopyFrom(pb.Interval(value=value, low=value - 0.05, high=value + 0.05))
    return answer


def world() -> dict[str, object]:
    """Every service with something to show, foreign text among it."""
    known = KNOWN_TASKS
    manifest = {
        "tasks": [
            {"task_id": "0" * 32, "kind": "SC", "difficulty": "Easy", "languages": ["go", "python"], "licence": "MIT"}
            | {"source": {"name": "wordkit", "qualname": "normalise"}}
        ]
    }
    release = generator.Release(name="2026-06", digest="e" * 64, tasks=1, retracted=1, created_at="2026-06-01T00:00:00")
    rows = [
        pb.LeaderboardRow(model=MODELS[0], strategy="direct", language="python", run_id="0" * 32, task_set="2026-06")
    ]
    rows[0].pass_at_1.CopyFrom(pb.Share(passed=120, total=200, value=0.6, low=0.5, high=0.7))
    rows[0].wording, rows[0].rank_low, rows[0].rank_high = "described", 1, 1
    rows[0].near_misses, rows[0].tokens_in, rows[0].tokens_out, rows[0].cost_usd = 12, 100_000, 20_000, 0.25
    for kind in ("SC", "WSC"):
        rows[0].by_kind.add(group=kind, passed=40, total=100)
    for name in ("Easy", "Medium", "Hard"):
        rows[0].by_difficulty.add(group=name, passed=40, total=100)

    rows.append(pb.LeaderboardRow(model=MODELS[0], strategy="direct", language="python", run_id="0" * 32))
    rows[1].task_set, rows[1].wording, rows[1].rank_low, rows[1].rank_high = "2026-06", "by_example", 2, 3
    rows[1].pass_at_1.CopyFrom(pb.Share(passed=4, total=20, value=0.2, low=0.05, high=0.5))
    notes = [pb.Retraction(task_id="0" * 32, entry_point="normalise", source="wordkit 1.0", note=HOSTILE)]
    summaries = [
        pb.RunSummary(run_id=f"{n}" * 32, spec=spec(model), answers=3, judged=n, withdrawn="asked wrongly" * (n == 4))
        for n, model in enumerate(MODELS)
    ]
    share = pb.Share(group="SC", passed=1, total=2, value=0.5, low=0.1, high=0.9)
    slices = [pb.Slice(dimension="kind", share=share), pb.Slice(dimension="kind", share=share)]
    for month in ("2024-03", "2024-06", "2024-07", "2025-01", "unknown"):
        dated = pb.Share(group=month, passed=7, total=10, value=0.7, low=0.35, high=0.93)
        slices.append(pb.Slice(dimension="month", share=dated))
    older, newer = pb.Interval(value=0.75, low=0.6, high=0.9), pb.Interval(value=0.5, low=0.3, high=0.7)
    gap = pb.Interval(value=-0.25, low=-0.5, high=-0.01)
    sides = {"before": older, "after": newer, "tasks_before": 40, "tasks_after": 20, "undated": 3, "missing_after": 6}
    around = pb.AroundCutoff(cutoff="2024-06", gap=gap, decided=True, **sides)
    rows[0].memory.CopyFrom(memory_gap())
    before, after = pb.Standing(value=0.5, rank_low=1, rank_high=2), pb.Standing(value=0.75, rank_low=1, rank_high=1)
    moved = pb.RankChange(scope_name="2026-06", language="python", mode="greedy", model=MODELS[0], strategy="direct")
    moved.before.CopyFrom(before)
    moved.after.CopyFrom(after)
    moved.run_id = "0" * 32
    progress = progress_pb2.Progress(counters=[progress_pb2.Counter(name="tasks_known", value=1163)])
    return {
        "retriever.Search": found,
        "retriever.StreamSearch": pieces,
        "retriever.GetCode": retriever.GetCodeResponse(code=indexed("shorten"), docstring=HOSTILE),
        "ingester.ListSources": ingester.ListSourcesResponse(sources=[ingester.Source(name="wordkit")]),
        "evaluator.GetBoard": board,
        "evaluator.GetLanguages": partial(
            run_path(str(Path(__file__).with_name("known_languages.py")))["languages"], HOSTILE
        ),
        "evaluator.GetRun": run,
        "evaluator.ListRuns": pb.ListRunsResponse(runs=summaries),
        "evaluator.GetRetraction": pb.GetRetractionResponse(retraction=notes[0], changes=[moved]),
        "evaluator.GetRunProfile": pb.GetRunProfileResponse(
            run=summaries[0],
            slices=slices,
            around=around,
            memory=memory_gap(),
            wording="described",
            by_wording=[
                pb.WordingShare(
                    wording="described",
                    tasks=200,
                    judged=200,
                    share=pb.Interval(value=0.62, low=0.55, high=0.69),
                    least=0.62,
                    most=0.62,
                ),
                pb.WordingShare(wording="by_example", tasks=31, judged=20, least=0.2, most=0.6),
            ],
        ),
        "evaluator.GetAttempt": pb.GetAttemptResponse(task=task_info(), answer=given(1), verdicts=versions()),
        "evaluator.ListRetrievalScores": retrieval_scores,
        "evaluator.ListVerdictChanges": verdict_changes(),
        "evaluator.GetTaskAnswers": pb.GetTaskAnswersResponse(task=task_info(), answers=[given(0), given(1)]),
        "evaluator.ListTaskScores": pb.ListTaskScoresResponse(
            scores=[
                pb.TaskScore(
                    task_id="0" * 32,
                    judged=12,
                    passed=5,
                    near_misses=2,
                    difficulty=pb.Interval(value=0.42, low=-0.7, high=1.55),
                ),
                pb.TaskScore(task_id="1" * 32),
            ]
        ),
        "evaluator.Leaderboard": pb.LeaderboardResponse(rows=rows, retractions=notes),
        "evaluator.Progress": pb.ProgressResponse(progress=progress),
        "annotator.GetAgreement": annotator.GetAgreementResponse(pairs=3, alpha=0.5, decided=2),
        "pbt-generator.ListTasks": generator.ListTasksResponse(tasks=[known["built"](), known["long"]()], refused=7),
        "pbt-generator.GetTask": known["told"],
        "pbt-generator.ListReleases": generator.ListReleasesResponse(releases=[release]),
        "pbt-generator.GetRelease": generator.GetReleaseResponse(
            release=release,
            manifest_json=json.dumps(manifest),
            retractions=[generator.Retraction(task_id="0" * 32, note=HOSTILE)],
        ),
    }


# One address of every kind of page.
VISITED = (
    "/",
    "/?mode=sampled&sort=cost",
    "/languages",
    "/tasks",
    f"/tasks/{'0' * 32}?a={'0' * 16}.0&b={'1' * 16}.0",
    "/runs",
    f"/runs/{'0' * 32}",
    f"/runs/{'0' * 32}/tasks/{'0' * 32}",
    "/models/strong-70b",
    "/releases",
    "/releases/2026-06",
    "/retractions",
    "/retrieval",
    "/review",
    "/search",
    "/search?q=shorten+text&language=python&symbol=s*",
    "/search?q=nothing",
    "/search?q=shorten+slowly&mode=augmented",
    "/search/shorten-1.2",
    "/status",
    "/method",
    "/token",
    "/nowhere",
)


@pytest.fixture(params=VISITED)
def address(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def addresses() -> tuple[str, ...]:
    return VISITED


@pytest.fixture
def answers_in_parts() -> Callable[[pb.GetRunResponse, pb.GetRunRequest], pb.GetRunResponse]:
    return part_of


@pytest.fixture
def known_services() -> FakeServices:
    return FakeServices(world())
