"""What models cost, added up as asked; the platform, watched."""

import json
import time

import pytest

from touchstone_cli import machine


def spent(world, **more):
    fields = {"model": "small", "purpose": "solve", "day": "2026-03-01", "calls": 1, "tokens_in": 10, "tokens_out": 5}
    fields |= {"thought_tokens": 2, "lost_tokens": 4}
    return world.pb.progress.Spent(**fields | {"seconds": 2.0, "cost_usd": 0.25} | more)


@pytest.fixture
def books(world):
    def answer(pb, *rows):
        return lambda request: pb.ProgressResponse(
            progress=world.pb.progress.Progress(spent=rows if request.with_spending else [])
        )

    world.answers |= {
        "EVALUATOR.Progress": answer(
            world.pb.evaluator, spent(world), spent(world, day="2026-03-02", cached_hits=3), spent(world, model="large")
        ),
        "ANNOTATOR.Progress": answer(world.pb.annotator, spent(world, purpose="screener", day="")),
        "PBT_GENERATOR.Progress": answer(world.pb.generator),
        "RETRIEVER.Progress": answer(world.pb.retriever),
    }
    return world


def test_costs_are_added_up_by_what_is_asked(books, touchstone):
    done = touchstone("cost", "--by", "model,service,day", "--json")
    assert done.code == 0, done.err
    rows = json.loads(done.out)
    assert [(row["model"], row["service"], row["day"], row["calls"]) for row in rows] == [
        ("large", "evaluator", "2026-03-01", 1),
        ("small", "annotator", "", 1),
        ("small", "evaluator", "2026-03-01", 1),
        ("small", "evaluator", "2026-03-02", 1),
    ]
    by_model = json.loads(touchstone("cost", "--by", "model", "--json").out)
    assert by_model[1] == {
        "model": "small", "calls": 3, "cached_hits": 3, "tokens_in": 30, "tokens_out": 15,
        "thought_tokens": 6, "lost_tokens": 12, "seconds": 6.0,
        "cost_usd": 0.75,
        "cost_usd_known": 0.75,
        "left_out": [],
    }  # fmt: skip
    shown = touchstone("cost", "--by", "day").out
    assert "before days were kept" in shown and "0.5000" in shown
    (head, *_), line = (row.split("\t") for row in shown.splitlines()[:1]), shown.splitlines()[-1].split("\t")
    assert line[head.index("of them in vain")] == "4"


def test_what_batches_answered_has_no_time(books, touchstone):
    batch = spent(books, model="batched", seconds=0.0)
    books.answers["EVALUATOR.Progress"] = books.pb.evaluator.ProgressResponse(
        progress=books.pb.progress.Progress(spent=[batch])
    )
    told = {row["model"]: row["seconds"] for row in json.loads(touchstone("cost", "--by", "model", "--json").out)}
    assert told == {"batched": None, "small": 2.0}
    (line,) = [line for line in touchstone("cost", "--by", "model").out.splitlines() if "batched" in line]
    assert line.split("\t")[-2] == "–"


def test_a_model_whose_price_was_named_on_the_way_has_a_cost_of_which_a_part_is_unknown(books, touchstone):
    later = spent(books, model="big@api.example", cost_usd=0.4, unpriced_tokens=990)
    books.answers["EVALUATOR.Progress"] = books.pb.evaluator.ProgressResponse(
        progress=books.pb.progress.Progress(spent=[later])
    )
    assert any("0.4000 + unknown" in line for line in touchstone("cost", "--by", "model").out.splitlines())
    (row, _) = json.loads(touchstone("cost", "--by", "model", "--json").out)
    assert (row["cost_usd"], row["cost_usd_known"]) == (None, 0.4)


def test_what_has_no_price_is_shown_as_unknown(books, touchstone):
    free = [spent(books, model=model, cost_usd=0.0) for model in ("mine@localhost:8377", "small")]
    books.answers["EVALUATOR.Progress"] = books.pb.evaluator.ProgressResponse(
        progress=books.pb.progress.Progress(spent=[*free, spent(books, purpose="judge")])
    )
    lines = {line.split("\t")[0]: line.split("\t")[-1] for line in touchstone("cost", "--by", "model").out.splitlines()}
    assert (lines["mine@localhost:8377"], lines["small"]) == ("unknown", "0.5000")
    lines = {
        line.split("\t")[0]: line.split("\t")[-1] for line in touchstone("cost", "--by", "purpose").out.splitlines()
    }
    assert (lines["solve"], lines["judge"], lines["screener"]) == ("unknown", "0.2500", "0.2500")
    lines = touchstone("cost", "--by", "service").out.splitlines()
    assert any("0.2500 + unknown" in line for line in lines)
    told = {row["model"]: row["cost_usd"] for row in json.loads(touchstone("cost", "--by", "model", "--json").out)}
    assert told == {"mine@localhost:8377": None, "small": 0.5}
    told = {row["service"]: row for row in json.loads(touchstone("cost", "--by", "service", "--json").out)}
    assert (told["evaluator"]["cost_usd"], told["evaluator"]["cost_usd_known"]) == (None, 0.25)


def test_a_field_that_nobody_knows_is_refused_with_those_that_are(books, touchstone):
    done = touchstone("cost", "--by", "model,moon")
    assert done.code == 2
    assert "--by takes service, model, purpose, day, not moon" in done.err


def test_sums_that_lack_a_service_are_unknown_and_end_with_1(books, touchstone, tmp_path, monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_EVALUATOR_ADDRESS", f"unix:{tmp_path}/nobody")
    for quiet in ([], ["--quiet"]):
        done = touchstone(*quiet, "cost", "--by", "model")
        assert done.code == 1 and "left out: the evaluator does not answer" in done.err
        assert done.err.endswith("these sums lack what was booked by evaluator\n")
        assert done.out.splitlines()[1].endswith("\t0.2500 + unknown")
    done = touchstone("cost", "--by", "model", "--json")
    (row,) = json.loads(done.out)
    assert (done.code, row["cost_usd"], row["cost_usd_known"], row["left_out"]) == (1, None, 0.25, ["evaluator"])
    # What one service booked lacks nothing of another.
    done = touchstone("cost", "--by", "service", "--json")
    (row,) = json.loads(done.out)
    assert (done.code, row["cost_usd"], row["left_out"]) == (1, 0.25, [])


def test_a_platform_that_is_down_is_said(touchstone, tmp_path, monkeypatch):
    for name in ("PBT_GENERATOR", "RETRIEVER", "ANNOTATOR", "EVALUATOR"):
        monkeypatch.setenv(f"TOUCHSTONE_{name}_ADDRESS", f"unix:{tmp_path}/nobody")
    done = touchstone("cost")
    assert done.code == 1
    assert "start the platform with `touchstone up`" in done.err


def test_the_status_is_watched_until_somebody_has_seen_enough(touchstone, monkeypatch):
    seen = []

    def enough(seconds):
        seen.append(seconds)
        if len(seen) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", enough)
    done = touchstone("status", "--watch")
    assert done.code == 0
    assert done.err.count("The platform does not run") == 3
    assert seen == [machine._WATCH_EVERY_S] * 3
