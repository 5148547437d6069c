"""Languages of one set of tasks beside one another."""

from __future__ import annotations

import csv
import io
import json

import grpc

from touchstone.evaluator.v1 import evaluator_pb2 as pb


def body(text):
    """The rows of the table, a text each."""
    return text.partition("<tbody>")[2].partition("</tbody>")[0].split("<tr")[1:]


def test_a_row_that_lacks_something_shows_bounds_and_what_its_figure_is_over(visit):
    full, lacks, two, none = body(visit().get("/languages").text)
    assert "65.0" in full and "58–72" in full and "65.0 over" not in full and "at most" not in full
    # All verdicts of four languages, and 20 of 120 in Java.
    assert (
        "37.5 to 90.0" in lacks
        and "65.0 over 4 of 5" in lacks
        and 'title="go, javascript, python, typescript"' in lacks
    )
    assert "10 to 90" in lacks and "20 / 120" in lacks
    assert two.count("not asked in") == 3 and "65.0 over 2 of 5" in two
    assert "12.5 to 90.0" in none and " over " not in none and none.count("not asked in") == 4
    assert "<script>alert" not in none


def test_how_many_tasks_each_language_has_stands_above(visit):
    text = visit().get("/languages").text
    assert "120 tasks in go, 120 tasks in java, 120 tasks in javascript, 200 tasks in python" in text
    assert "Ranks are given within one language only" in text


def test_languages_that_were_left_out_are_told_beside_the_table(visit, known_services):
    assert "No column" not in visit().get("/languages").text
    answer = known_services.answers["evaluator.GetLanguages"](pb.GetLanguagesRequest())
    answer.left_out.add(language="rust", tasks_elsewhere=7)
    answer.left_out.add(language="php")
    answers = known_services.answers | {"evaluator.GetLanguages": answer}
    text = visit(answers).get("/languages").text
    assert "No column for rust (7 tasks told by examples) and php, which have no task that is described." in text
    answer.wording = "by_example"
    del answer.left_out[1:]
    text = visit(answers).get("/languages").text
    assert "No column for rust (7 tasks described), which has no task that is told by examples." in text
    del answer.columns[:], answer.rows[:]
    assert "tasks told by examples: no task in any language." in visit(answers).get("/languages").text


def test_filters_reach_the_evaluator_and_every_language_leads_to_its_board(visit):
    visitor = visit()
    text = visitor.get("/languages?scope=eee&mode=sampled&wording=by_example").text
    (name, request), *_ = visitor.services.asked
    assert name == "evaluator.GetLanguages"
    assert (request.scope, request.mode, request.wording) == ("eee", "sampled", "by_example")
    assert f"/?scope={'e' * 64}&amp;language=go&amp;mode=sampled&amp;wording=by_example" in text
    assert "/languages.csv?scope=eee&amp;mode=sampled" in text and "tasks told by examples" in text
    assert visitor.get("/languages?scope=nothing").status_code == 404


def test_the_board_leads_to_all_languages_of_its_set(visit):
    text = visit().get("/").text
    assert f"/languages?scope={'e' * 64}&amp;mode=greedy&amp;wording=described" in text
    assert "All 2 languages beside one another" in text


def test_files_have_no_figure_over_all_where_a_language_is_missing(visit):
    rows = list(csv.DictReader(io.StringIO(visit().get("/languages.csv").text)))
    together = [row for row in rows if row["language"] == "all"]
    assert [bool(row["share"]) for row in together] == [True, False, False, False]
    assert [row["least"] for row in together] == ["0.65", "0.375", "0.25", "0.125"]
    assert {row["wording"] for row in rows} == {"described"} and len(rows) == 5 + 5 + 2 + 1 + 4
    assert [row["rank_low"] for row in rows if row["judged"] == "20"][:1] == [""]
    answer = json.loads(visit().get("/languages.json").text)
    assert answer["rows"][3]["whole"] == [] and "together" not in answer["rows"][3]


def test_without_runs_the_page_says_how_they_come(visit, fault_of):
    text = visit({"evaluator.GetLanguages": pb.GetLanguagesResponse()}).get("/languages").text
    assert "No run yet" in text
    away = visit({"evaluator.GetLanguages": fault_of(grpc.StatusCode.UNAVAILABLE, "away")}).get("/languages")
    assert away.status_code == 503
