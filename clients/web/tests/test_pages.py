"""What single pages show."""

from __future__ import annotations

import csv
import io
import json

import pytest


def test_the_board_shows_ties_bounds_and_where_each_figure_comes_from(visit):
    text = visit().get("/").text
    assert text.count("2–3") >= 2
    assert "10.0 to 90.0" in text and "40 / 200" in text
    assert "95 percent interval" in text and "at most 90.0 percent with" in text
    assert "Models that the data do not tell apart share ranks" in text


def test_filters_stay_in_the_address_and_reach_the_evaluator(visit):
    visitor = visit()
    text = visitor.get("/?scope=eee&language=go&mode=greedy&sort=model&strategy=cocost").text
    (name, request), *_ = visitor.services.asked
    assert (name, request.scope, request.language, request.mode) == ("evaluator.GetBoard", "eee", "go", "greedy")
    assert "solid-32b" in text and "strong-70b" not in text.partition("<tbody>")[2].partition("</tbody>")[0]
    assert "/board.csv?scope=eee&amp;language=go" in text


@pytest.mark.parametrize(
    ("sort", "first"), [("rank", "strong-70b"), ("model", "&lt;script"), ("near", "&lt;script"), ("odd", "strong-70b")]
)
def test_rows_are_sorted(visit, sort, first):
    body = visit().get(f"/?sort={sort}").text.partition("<tbody>")[2]
    assert body.partition("/models/")[2].partition("</a>")[0].endswith(first) or first in body[:900]


def test_the_rows_as_csv_are_those_that_are_seen_and_no_formulas(visit):
    answer = visit().get("/board.csv?strategy=cocost")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [(row["model"], row["rank_low"], row["rank_high"]) for row in rows] == [("solid-32b", "2", "3")]
    assert answer.headers["content-type"].startswith("text/csv")
    from touchstone_web.pages.board import _plain

    assert [_plain(text) for text in ("=1+1", "@x", "m")] == ["'=1+1", "'@x", "m"]


def test_the_board_as_json_has_every_row_and_pair(visit):
    board = json.loads(visit().get("/board.json").text)
    assert (len(board["rows"]), len(board["pairs"]), board["repositories"]) == (6, 2, 23)


def test_an_unknown_scope_is_not_found(visit):
    answer = visit().get("/?scope=nothing")
    assert answer.status_code == 404 and "no set of tasks" in answer.text


def test_a_run_shows_its_specification_and_filters_its_answers(visit):
    text = visit().get(f"/runs/{'0' * 32}?outcome=wrong_output").text
    assert "2026-06 (200 tasks)" in text and "tokens 1024" in text
    body = text.rpartition("<tbody>")[2]
    assert "f1" in body and "f0" not in body


def test_a_run_shows_what_its_model_solves_before_and_after_its_cutoff(visit):
    text = visit().get(f"/runs/{'0' * 32}").text
    assert "up to 2024-06" in text and "a sign of memory" in text
    assert "-50.0 to -1.0 points" in text and "3 judged tasks cannot be dated and count" in text


def test_a_runs_progress_is_a_stream_that_ends(visit):
    with visit().stream("GET", f"/runs/{'0' * 32}/events") as answer:
        text = "".join(answer.iter_text())
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert 'event: progress\ndata: {"finished": 3' in text and text.endswith("event: done\ndata: {}\n\n")
    assert visit().get("/runs/nothing/events").status_code == 404


def test_a_task_lays_two_answers_side_by_side_with_their_difference(visit):
    text = visit().get(f"/tasks/{'0' * 32}?a={'0' * 16}&b={'1' * 16}.0").text
    assert '<span class="del">-    return text.split()[0:]' in text
    assert '<span class="add">+    return text.split()[1:]' in text
    assert "Differences" not in visit().get(f"/tasks/{'0' * 32}?a={'0' * 16}").text
    assert "[&#34;a  b&#34;]" in text


def test_tasks_are_filtered(visit):
    assert "1 task" in visit().get("/tasks?q=words normalise&source=wordkit&difficulty=Easy").text
    assert "0 tasks" in visit().get("/tasks?q=nothing").text
    assert visit().get("/tasks?start=-5").status_code == 200


def test_a_manifest_is_given_byte_for_byte(visit):
    answer = visit().get("/releases/2026-06/manifest.json")
    assert json.loads(answer.text)["tasks"][0]["kind"] == "SC"


def test_retractions_name_withdrawn_runs_too(visit):
    text = visit().get("/retractions").text
    assert "asked wrongly" in text and "wordkit 1.0" in text


def test_a_retraction_shows_what_it_changed(visit):
    text = visit().get(f"/retractions/{'0' * 32}").text
    assert "1–2" in text and "75.0" in text and "2026-06, python, greedy" in text
    assert f"/retractions/{'0' * 32}" in visit().get("/retractions").text


def test_a_model_without_runs_is_not_found(visit):
    assert visit().get("/models/nobody").status_code == 404
