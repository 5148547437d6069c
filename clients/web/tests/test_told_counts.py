"""Pages and files tell a part as a part: counts of what is shown, bounds of what is missing; and names as they are."""

from __future__ import annotations

import csv
import io
import re

import pytest

from touchstone.evaluator.v1 import evaluator_pb2 as pb


@pytest.mark.parametrize(
    ("kept", "passed", "told"),
    [
        (20, 10, "The first 20 of 1,490 cases that did not pass"),
        (20, 1480, "20 failed cases"),
        (1, 1499, "1 failed case"),
    ],
)
def test_failed_cases_are_told_as_a_part_where_more_did_not_pass(visit, known_services, kept, passed, told):
    answers = known_services.answers
    request = pb.GetAttemptRequest(run_id="0" * 32, task_id="1" * 32)
    found = answers["evaluator.GetAttempt"]
    known = pb.GetAttemptResponse()
    known.CopyFrom(found(request) if callable(found) else found)
    known.answer.cases, known.answer.passed, known.answer.outcome = 1500, passed, "wrong_output"
    del known.answer.failures[:]
    for number in range(kept):
        known.answer.failures.add(index=number, outcome="wrong_output", detail="odd")
    visitor = visit(answers | {"evaluator.GetAttempt": known})
    text = visitor.get(f"/runs/{'0' * 32}/tasks/{'1' * 32}").text
    assert re.findall(r"<summary>([^<]*(?:failed|pass)[^<]*)</summary>", text) == [told]


def test_a_retraction_shows_bounds_for_rows_that_lack_verdicts(visit, known_services):
    change = pb.RankChange(scope_name="2026-06", language="python", mode="greedy", run_id="0" * 32, model="m")
    change.before.CopyFrom(pb.Standing(value=1.0, judged=3, tasks=200))
    change.after.CopyFrom(pb.Standing(value=0.5, rank_low=2, rank_high=2, judged=199, tasks=199))
    answer = pb.GetRetractionResponse(retraction=pb.Retraction(task_id="1" * 32, note="n"), changes=[change])
    text = visit(known_services.answers | {"evaluator.GetRetraction": answer}).get(f"/retractions/{'1' * 32}").text
    figures = re.findall(r'class="number">([^<]*)</td>', text)
    assert figures == ["–", "2", "1.5 to 100.0", "50.0", "3 / 200", "199 / 199"]


def test_every_judgement_anew_can_be_seen(visit, known_services):
    version = pb.VerdictVersion
    changes = [
        pb.VerdictChange(
            run_id="0" * 32,
            model="m",
            task_id=f"{number:032x}",
            entry_point=f"fn{number}",
            before=version(outcome="raised"),
            after=version(outcome="passed"),
        )
        for number in range(650)
    ]
    many = pb.ListVerdictChangesResponse(changes=changes)
    visitor = visit(known_services.answers | {"evaluator.ListVerdictChanges": many})
    seen, address = [], "/retractions"
    while address:
        text = visitor.get(address).text
        shown = re.findall(r"<code>(fn\d+)</code>", text)
        assert "650 judgements anew so far" in text
        assert f"650 judgements, {len(seen) + 1} to {len(seen) + len(shown)}<" in text
        seen += shown
        after = re.search(r'<a href="([^"]*)#verdicts" rel="next"', text)
        address = after[1] if after else ""
    assert seen == [each.entry_point for each in changes]
    assert "fn0<" in visitor.get("/retractions?start=-9").text
    assert "fn649<" in visitor.get("/retractions?start=99999").text
    assert "1 to 1<" not in visit(known_services.answers).get("/retractions").text


def test_names_are_told_as_they_are_but_to_spreadsheets(visit, known_services):
    known = known_services.answers["evaluator.GetBoard"]
    name = "@cf/meta/llama-3.1-8b-instruct"

    def board(request):
        answer = known(request)
        answer.rows[0].run.spec.model = name
        return answer

    visitor = visit(known_services.answers | {"evaluator.GetBoard": board})
    whole = {row["run"]["spec"]["model"] for row in visitor.get("/board.json").json()["rows"]}
    assert name in whole and {row["model"] for row in visitor.get("/rows.json").json()["rows"]} == whole
    rows = list(csv.DictReader(io.StringIO(visitor.get("/board.csv").text)))
    assert f"'{name}" in {row["model"] for row in rows} and name not in {row["model"] for row in rows}


def test_no_case_of_the_tasks_suite_stands_beside_what_another_suite_judged(visit, known_services):
    request = pb.GetAttemptRequest(run_id="0" * 32, task_id="0" * 32)
    found = known_services.answers["evaluator.GetAttempt"]
    known = pb.GetAttemptResponse()
    known.CopyFrom(found(request) if callable(found) else found)
    address = f"/runs/{'0' * 32}/tasks/{'0' * 32}"
    assert "normalise((3, null))" in visit().get(address).text
    known.answer.suite_digest = "b" * 64
    visitor = visit(known_services.answers | {"evaluator.GetAttempt": known})
    text = visitor.get(address).text
    assert "normalise((" not in text and text.count("not known") == 4
    assert "judged by the cases of its track" in text
