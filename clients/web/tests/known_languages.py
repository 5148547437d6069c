"""A set of tasks across languages, as the evaluator of the tests knows it."""

from __future__ import annotations

import grpc

from touchstone.evaluator.v1 import evaluator_pb2 as pb


def languages(hostile: str, request: pb.GetLanguagesRequest) -> pb.GetLanguagesResponse:
    """Five languages: one model in all, one with verdicts missing, one that was asked in two, and a hostile one."""
    if request.scope == "nothing":
        words = "nothing: no set of tasks with runs is called so"
        raise grpc.aio.AioRpcError(grpc.StatusCode.NOT_FOUND, grpc.aio.Metadata(), grpc.aio.Metadata(), details=words)
    sizes = {"go": 120, "java": 120, "javascript": 120, "python": 200, "typescript": 120}
    scope = pb.Scope(digest="e" * 64, kind="release", name="2026-06", tasks=200, runs=12, languages=list(sizes))
    answer = pb.GetLanguagesResponse(
        scope=scope,
        scopes=[scope],
        mode=request.mode or "greedy",
        wording=request.wording or "described",
        digest="f" * 64,
    )
    for name, tasks in sizes.items():
        answer.columns.add(language=name, tasks=tasks, repositories=23, tasks_elsewhere=31)
    asked = {"strong-70b": sizes, "solid-32b": sizes, "near-30b": ("go", "python"), hostile: ("java",)}
    for number, (model, names) in enumerate(asked.items()):
        about = pb.RunSpec(strategy="direct", model=model, samples=1)
        row = answer.rows.add(spec=about, questions=680, solved=400 - 100 * number)
        for name in names:
            full = not (number == 1 and name == "java") and number != 3
            share = 0.7 - 0.1 * number
            ends = {"least": share, "most": share} if full else {"least": 0.1, "most": 0.9}
            cell = row.cells.add(language=name, run_id=f"{number}" * 32, tasks=sizes[name], value=share, **ends)
            cell.judged, cell.low, cell.high = sizes[name] if full else 20, share - 0.07, share + 0.07
            cell.rank_low, cell.rank_high = (number + 1, number + 1) if full else (0, 0)
            if full:
                row.whole.append(name)
        if row.whole:
            row.together.CopyFrom(pb.Interval(value=0.65, low=0.58, high=0.72))
        row.least, row.most = (0.65, 0.65) if number == 0 else (0.5 - 0.125 * number, 0.9)
    return answer
