"""Pages and files say no figure that is another one: of what lacks verdicts, of several samples, of what is gone."""

from __future__ import annotations

import csv
import io
import json
import re
import time

import grpc
import httpx
import pytest

from touchstone.evaluator.v1 import evaluator_pb2 as pb
from touchstone_web.app import create_app
from touchstone_web.settings import WebSettings

RUN = f"/runs/{'0' * 32}"


@pytest.fixture
def board(known_services):
    """The known board, as one that another test may change."""
    return lambda **asked: known_services.answers["evaluator.GetBoard"](pb.GetBoardRequest(**asked))


@pytest.fixture
def seen(visit, known_services):
    """What is served at an address where some answers are others."""
    return lambda address, **other: visit(
        known_services.answers | {f"evaluator.{name}": one for name, one in other.items()}
    ).get(address)


def sampled(board, samples, temperature=0.8):
    board.mode = "sampled"
    for row in board.rows:
        row.run.spec.samples, row.run.spec.temperature = samples, temperature
    return board


# -- pairs, and rows of sampled runs ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("samples", "exact", "only"), [(1, True, "Only first"), (5, False, "First more often")])
def test_pairs_say_which_test_they_were_held_to_and_what_is_counted(seen, board, samples, exact, only):
    text = seen("/", GetBoard=sampled(board(), samples)).text
    assert ("p by McNemar and by repositories, the larger" in text) is exact
    assert ("where both have one answer a task by McNemar" in text) is not exact
    assert text.count(f'data-label="{only}"') == 2


def test_rows_and_pairs_of_one_model_tell_how_each_was_asked(seen, board):
    found = sampled(board(), 2, 0.2)
    found.rows[1].run.spec.CopyFrom(found.rows[0].run.spec)
    found.rows[1].run.spec.samples, found.rows[1].run.spec.temperature = 10, 0.8
    text = seen("/", GetBoard=found).text
    pair = re.search(r'data-label="First">([^<]*)</td><td data-label="Second">([^<]*)', text)
    assert pair.groups() == ("strong-70b direct, 2 samples at 0.2", "strong-70b direct, 10 samples at 0.8")
    rows = list(csv.DictReader(io.StringIO(seen("/board.csv", GetBoard=found).text)))
    assert len({(row["model"], row["strategy"], row["samples"], row["temperature"]) for row in rows[:2]}) == 2


def test_the_list_of_runs_says_what_was_asked(seen):
    specs = [pb.RunSpec(model="m", strategy="direct", samples=1, track=track) for track in ("", "predict-output")]
    runs = [pb.RunSummary(run_id=f"{n}" * 32, spec=spec, answers=1) for n, spec in enumerate(specs)]
    text = seen("/runs", ListRuns=pb.ListRunsResponse(runs=runs)).text
    assert re.findall(r'data-label="Asked">([^<]*)', text) == ["write", "predict-output"]


@pytest.mark.parametrize("temperature", [1.25, 0.125, 0.8])
def test_a_run_says_its_temperature_to_the_last_digit(seen, known_services, temperature):
    found = known_services.answers["evaluator.GetRun"](pb.GetRunRequest())
    found.summary.spec.samples, found.summary.spec.temperature = 5, temperature
    assert f"5 samples at temperature {temperature}, seeds" in seen(RUN, GetRun=found).text


@pytest.mark.parametrize(("judged", "missing"), [(400, ""), (364, "36 answers without a verdict")])
def test_how_solutions_end_is_drawn_of_all_answers_that_were_asked_for(seen, board, judged, missing):
    found = sampled(board(), 10)
    row = found.rows[0]
    row.tasks, row.judged = 40, judged // 10
    del row.classes[:]
    row.classes.add(outcome="success", count=judged)
    told = re.search(
        r"How solutions end.*?<svg.*?aria-label=\"([^\"]*)\".*?</svg>", seen("/", GetBoard=found).text, re.S
    )
    assert told[1] == "; ".join(filter(None, [f"{judged} success", missing]))
    width = re.search(r'<rect class="success"[^>]* width="([0-9.]+)"', told[0])[1]
    assert float(width) == pytest.approx(judged / 4)


# -- what lacks verdicts ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["/", RUN, "/languages"])
def test_bounds_are_never_said_to_be_an_interval(seen, known_services, address):
    text = seen(address).text
    labels = re.findall(r'class="bar"[^>]*aria-label="([^"]*)"', text)
    bounds = [label for label in labels if "what is missing" in label]
    assert all("interval" not in label and "at least" in label for label in bounds)
    assert bounds or address == RUN


def test_files_have_no_share_of_what_lacks_verdicts(seen, board):
    found = board()
    found.mode = "sampled"
    rows = json.loads(seen("/board.json", GetBoard=found).text)["rows"]
    lacking = [row for row in rows if not row["rank_low"]]
    assert lacking and all(row[name] is None for row in lacking for name in ("value", "low", "high"))
    assert all(row["pass_at"] == [] and row["least"] < row["most"] for row in lacking)
    assert all(row["value"] is not None and row["pass_at"] for row in rows if row["rank_low"])
    cells = [cell for row in json.loads(seen("/languages.json").text)["rows"] for cell in row["cells"]]
    assert {cell["value"] is None for cell in cells if cell["least"] < cell["most"]} == {True}
    assert {cell["value"] is None for cell in cells if cell["least"] == cell["most"]} == {False}


def test_what_a_person_cancelled_is_not_lost_to_faults(seen, known_services):
    found = known_services.answers["evaluator.GetRun"](pb.GetRunRequest())
    for cancelled, words in ((3, ", 3 cancelled<"), (1, ", 2 lost to faults and counted nowhere, 1 cancelled<")):
        found.summary.judged, found.summary.infrastructure, found.summary.cancelled = 0, 3, cancelled
        text = seen(RUN, GetRun=found).text
        assert words in text and ("lost to faults" in text) == (cancelled == 1)
        told = json.loads(re.search("event: progress\ndata: (.*)", seen(f"{RUN}/events", GetRun=found).text)[1])
        assert (told["lost"], told["cancelled"]) == (3 - cancelled, cancelled)
    assert (
        "2 answers lost, 1 cancelled, asked again"
        in seen("/runs", ListRuns=pb.ListRunsResponse(runs=[found.summary])).text
    )


@pytest.mark.parametrize(
    ("cancelled", "words"), [(3, "; 3 cancelled<"), (1, "; 2 lost to the infrastructure, not counted; 1 c")]
)
def test_what_a_person_cancelled_is_not_lost_on_boards_either(seen, board, cancelled, words):
    found = board()
    found.rows[-1].infrastructure, found.rows[-1].run.cancelled = 3, cancelled
    assert words in seen("/", GetBoard=found).text
    row = json.loads(seen("/rows.json?columns=lost", GetBoard=found).text)["rows"][-1]
    assert (row["infrastructure"], row["cancelled"]) == (3, cancelled)


def test_an_answer_without_a_verdict_has_none_and_no_figures_of_one(seen, known_services):
    found = pb.GetAttemptResponse()
    found.CopyFrom(known_services.answers["evaluator.GetAttempt"])
    found.answer.outcome = "pending"
    del found.answer.failures[:], found.verdicts[:]
    verdict = seen(f"{RUN}/tasks/{'0' * 32}", GetAttempt=found).text.partition("The verdict")[2].partition("<h2>")[0]
    assert "None yet" in verdict and "passed" not in verdict and "CPU" not in verdict


# -- what is not there -----------------------------------------------------------------------------------------------


def test_a_board_without_a_task_says_so(seen, board):
    found = board()
    del found.rows[:], found.pairs[:]
    found.tasks = found.tasks_elsewhere = found.repositories = 0
    assert "0 tasks of 2026-06" in seen("/", GetBoard=found).text


def test_filters_that_a_set_of_tasks_does_not_have_are_dropped(visit, known_services):
    known = known_services.answers["evaluator.GetBoard"]

    def of(request):
        found = known(request)
        if request.language not in ("", "go", "python") or request.wording == "by_example":
            del found.rows[:], found.pairs[:]
            found.tasks, found.tasks_elsewhere = 0, 200
        return found

    visitor = visit(known_services.answers | {"evaluator.GetBoard": of})
    answer = visitor.get(
        "/?scope=eee&language=rust&wording=by_example&strategy=gone&columns=share&columns=cost", follow_redirects=False
    )
    # Of a language that it does not have nobody can say which strategies there are.
    assert answer.status_code == 303
    assert answer.headers["location"] == "/?scope=eee&strategy=gone&columns=share&columns=cost"
    whole = visitor.get("/?scope=eee&language=rust&wording=by_example&strategy=gone")
    assert str(whole.url).endswith("/?scope=eee") and "No run of this kind" not in whole.text
    # Files are of what was asked for, or of nothing.
    assert visitor.get("/board.csv?language=rust").text.count("\n") == 1
    assert visitor.get("/?language=go&strategy=cocost&wording=described", follow_redirects=False).status_code == 200


def test_a_page_of_tasks_behind_the_last_says_that_there_are_others(visit):
    text = visit().get("/tasks?kind=SC&start=5000").text
    assert "builds tasks" not in text and '<a href="/tasks?kind=SC">from the first</a>' in text
    assert "5,001" not in text and "5001 to" not in text


async def test_who_follows_a_run_that_is_deleted_is_told_once(visit, known_services, fault_of):
    known, calls = known_services.answers["evaluator.GetRun"], []

    def going(request):
        calls.append(request)
        if len(calls) > 2:
            raise fault_of(grpc.StatusCode.NOT_FOUND, "no run has this id")
        found = known(request)
        found.tasks, found.finished = 10, 3
        return found

    visitor = visit(known_services.answers | {"evaluator.GetRun": going}, web_live_poll_s=0.01)
    told = visitor.get(f"{RUN}/events").text
    assert re.findall("event: (.*)", told) == ["progress", "gone"]


# -- programs beside one another -------------------------------------------------------------------------------------


async def test_long_programs_side_by_side_let_others_be_served(known_services):
    found = pb.GetTaskAnswersResponse()
    found.CopyFrom(known_services.answers["evaluator.GetTaskAnswers"])
    for answer, sign in zip(found.answers, (1, -1), strict=True):
        answer.code = "\n".join(f"x += {sign * number % 110}" for number in range(16_000))
    known_services.answers["evaluator.GetTaskAnswers"] = found
    app = create_app(known_services, WebSettings())
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x") as visitor:
        began = time.process_time()
        text = (await visitor.get(f"/tasks/{'0' * 32}?a={'0' * 32}.0&b={'1' * 32}.0")).text
        # To compare them took most of a minute.
        assert time.process_time() - began < 15
    assert "Differences are shown of programs of at most 2,000 lines" in text


# -- the token -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("token", ["right", "with ä and €", "a+b/c=%41;x"])
def test_whoever_signs_in_may_change_things_whatever_the_token_is_made_of(visit, known_services, token):
    known = known_services.answers["evaluator.GetRun"]

    def going(request):
        found = known(request)
        found.tasks, found.finished = 10, 3
        return found

    visitor = visit(known_services.answers | {"evaluator.GetRun": going}, web_token=token)
    assert visitor.post("/token", data={"token": token}, follow_redirects=False).status_code == 303
    assert ">Pause<" in visitor.get(RUN).text
    # A proxy before us has its own way of asking who comes.
    assert ">Pause<" in visitor.get(RUN, headers={"authorization": "Basic dXNlcjpwdw=="}).text
    assert ">Pause<" not in visitor.get(RUN, headers={"authorization": "Bearer wrong"}).text


def test_the_page_of_the_token_says_what_it_lets_one_do(visit):
    text = visit().get("/token").text
    assert "pauses a run" in text and "cancels" not in text and "a token of their own" in text


def test_what_is_little_is_not_told_as_nothing_and_what_is_nearly_all_not_as_all(seen, board):
    found = board()
    for row in found.rows:
        row.run.cost_usd = 0.00002
    found.rows[0].value, found.rows[0].low, found.rows[0].high = 3999 / 4000, 0.00004, 0.99996
    found.pairs[0].difference = found.pairs[0].low = -0.0
    text = seen("/?columns=percent&columns=interval", GetBoard=found).text
    assert '>99.98</td><td data-label="95 %" class="number wide">0.004–99.996<' in text
    assert ">0.000020 USD</text>" in text and "0.0000 USD" not in text and ">-0.0" not in text
