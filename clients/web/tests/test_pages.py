"""What single pages show."""

from __future__ import annotations

import csv
import io
import json
import re
from functools import partial
from pathlib import Path

import grpc
import pytest

import touchstone_web
from touchstone.evaluator.v1 import evaluator_pb2 as pb
from touchstone.pbt_generator.v1 import pbt_generator_pb2 as generator

TEMPLATES = Path(touchstone_web.__file__).parent / "templates"


def test_the_board_shows_ties_bounds_and_where_each_figure_comes_from(visit):
    text = visit().get("/").text
    assert text.count("2–3") >= 2
    assert "10.0 to 90.0" in text and "40 / 200" in text
    # The bar of how solutions end is not full where verdicts are missing.
    assert "160 tasks without a verdict" in text and '<li class="missing">no verdict</li>' in text
    assert "95 percent interval" in text and "at most 90.0 percent with" in text
    assert "Models that the data do not tell apart share ranks" in text


def test_filters_stay_in_the_address_and_reach_the_evaluator(visit):
    visitor = visit()
    text = visitor.get("/?scope=eee&language=go&mode=greedy&sort=model&strategy=cocost").text
    (name, request), *_ = visitor.services.asked
    assert (name, request.scope, request.language, request.mode) == ("evaluator.GetBoard", "eee", "go", "greedy")
    assert "solid-32b" in text and "strong-70b" not in text.partition("<tbody>")[2].partition("</tbody>")[0]
    assert "/board.csv?scope=eee&amp;language=go" in text


def test_tasks_told_by_example_are_a_board_of_their_own(visit):
    visitor = visit()
    text = visitor.get("/").text
    assert '<option value="described" selected>described (200)</option>' in text
    assert '<option value="by_example">told by example (31)</option>' in text
    assert "31 tasks told by example are ranked apart" in text
    text = visitor.get("/?wording=by_example").text
    assert visitor.services.asked[-1][1].wording == "by_example"
    assert '<option value="by_example" selected>told by example (31)</option>' in text
    assert "do not suffice by our rules, and the 200 described are ranked apart" in text
    assert "/board.csv?wording=by_example" in text


def test_no_page_and_no_file_shows_a_share_over_both_kinds_of_tasks(visit):
    visitor = visit()
    for wording in ("described", "by_example"):
        assert json.loads(visitor.get(f"/rows.json?wording={wording}").text)["wording"] == wording
        rows = list(csv.DictReader(io.StringIO(visitor.get(f"/board.csv?wording={wording}&columns=share").text)))
        assert {row["wording"] for row in rows} == {wording}
    text = visitor.get(f"/runs/{'0' * 32}?wording=by_example").text
    assert [asked.wording for name, asked in visitor.services.asked if name.endswith("GetRunProfile")] == ["by_example"]
    shares = text.partition('<h2 id="wording">')[2].partition("</table>")[0]
    described, by_example = shares.partition("<tbody>")[2].split("<tr")[1:]
    assert "62.0</td>" in described and "200 / 200" in described
    # What is not judged in full shows as the least and the most.
    assert "20.0 to 60.0" in by_example and "20 / 31" in by_example and "wording=by_example#wording" in by_example
    text = visitor.get("/models/strong-70b").text
    assert visitor.services.asked[-1][1].wording == "both" and "1 run on the boards" in text
    assert "2026-06, described</a>" in text and "2026-06, told by example</a>" in text
    for address in (f"/tasks/{'0' * 32}", f"/runs/{'0' * 32}/tasks/{'0' * 32}"):
        assert '<a href="/method#wording">described</a>' in visitor.get(address).text


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
    from touchstone_web.pages.board import plain

    assert [plain(text) for text in ("=1+1", "@x", "m")] == ["'=1+1", "'@x", "m"]


def test_what_was_judged_of_a_row_that_lacks_verdicts_is_no_figure_in_files_and_under_pass_at_k(visit):
    for wanted in ("", "columns=share", "columns=percent&columns=interval"):
        rows = list(csv.DictReader(io.StringIO(visit().get(f"/board.csv?{wanted}").text)))
        assert [row["model"] for row in rows if not row["rank_low"]] == ["<script>alert('x')</script>"]
        for row in rows:
            told = [row[name] for name in ("share", "low", "high")]
            assert all(told) if row["rank_low"] else not any(told) and (row["least"], row["most"]) == ("0.1", "0.9")
    (lacking,) = [row for row in visit().get("/rows.json").json()["rows"] if not row["rank_low"]]
    assert [lacking[name] for name in ("share", "low", "high", "least", "most")] == [None, None, None, 0.1, 0.9]
    table = visit().get("/?mode=sampled").text.partition("<h2>pass@k</h2>")[2].partition("<h2>")[0]
    assert table.count('<tr><th scope="row"') == 5 and "script" not in table
    assert "Rows that lack verdicts have no pass@k" in table


def test_a_cost_that_nobody_knows_is_not_shown_as_none(visit):
    text = visit().get("/?columns=cost").text
    assert text.count(">unknown</td>") == 1
    assert "1 run of which nobody knows what it took: not drawn" in text
    rows = list(csv.DictReader(io.StringIO(visit().get("/board.csv").text)))
    assert [row["model"] for row in rows if row["cost_usd"] == ""] == ["tiny-0.5b@localhost:8080"]
    rows = [row["run"] for row in json.loads(visit().get("/board.json").text)["rows"]]
    assert [run["spec"]["model"] for run in rows if run["cost_usd"] is None] == ["tiny-0.5b@localhost:8080"]
    last = visit().get("/?sort=cost").text.partition("<tbody>")[2].partition("</tbody>")[0].rpartition("/models/")[2]
    assert last.startswith("tiny-0.5b")


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


def test_a_run_of_many_answers_asks_for_them_in_parts(visit, answers_in_parts):
    many = pb.GetRunResponse(run_id="0" * 32, tasks=450, finished=450)
    for number in range(450):
        many.results.add(
            task_id=f"{number:032x}", outcome="passed" if number % 2 else "raised", entry_point=f"f{number}."
        )
    visitor = visit()
    visitor.services.answers["evaluator.GetRun"] = partial(answers_in_parts, many)

    def shown(query: str) -> tuple[str, str, int]:
        body = visitor.get(f"/runs/{'0' * 32}?{query}").text.partition('id="answers"')[2]
        return body, body.partition('role="status">')[2].partition("<")[0], body.count('data-label="Told"')

    body, told, rows = shown("")
    assert (told, rows) == ("450 answers, 1 to 200", 200) and "f199." in body and "f200." not in body
    body, told, rows = shown("start=400")
    assert (told, rows) == ("450 answers, 401 to 450", 50) and "f449." in body
    assert f'href="/runs/{"0" * 32}?start=200#answers" rel="prev"' in body and 'rel="next"' not in body
    # A filter begins anew; few answers are told by themselves.
    assert f'href="/runs/{"0" * 32}?outcome=raised#answers"' in body
    assert shown("outcome=raised&start=200")[1:] == ("225 answers, 201 to 225", 25)
    # The evaluator is asked for no more than is shown.
    asked = [request for name, request in visitor.services.asked if name == "evaluator.GetRun"]
    assert {request.most for request in asked} == {200} and asked[-1].outcome == "raised"


def test_a_run_shows_what_its_model_solves_before_and_after_its_cutoff(visit):
    text = visit().get(f"/runs/{'0' * 32}").text
    assert "up to 2024-06" in text and "a sign of memory" in text
    assert "-50.0 to -1.0 points" in text and "3 judged tasks cannot be dated and count" in text


def test_a_run_and_its_model_show_what_names_that_say_nothing_cost_it(visit):
    text = visit().get(f"/runs/{'0' * 32}").text
    assert "61 tasks of 9 repositories, without 12 that are not asked so. 1 task more lacks an answer in one" in text
    assert "6 tasks with a date lack an answer: the intervals hold whatever it is" in text
    assert "+5.0 to +45.0 points; p 0.0041" in text and "names help to understand" in text
    board = visit().get("/?columns=memory").text
    assert "+25.0 (+5 to +45)" in board and "+25.0" not in visit().get("/").text
    first, *rest = visit().get("/board.csv?columns=memory").text.splitlines()[1:]
    assert "0.25,0.05,0.45,61" in first and all("0.25" not in row for row in rest)
    assert "+25.0</a> (+5 to +45)" in visit().get("/models/strong-70b").text


def test_a_runs_progress_is_a_stream_that_ends(visit):
    with visit().stream("GET", f"/runs/{'0' * 32}/events") as answer:
        text = "".join(answer.iter_text())
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["x-accel-buffering"] == "no"
    assert 'event: progress\ndata: {"finished": 3' in text and text.endswith("event: done\ndata: {}\n\n")
    assert visit().get("/runs/nothing/events").status_code == 404


def test_progress_goes_on_after_the_evaluator_was_away(visit, fault_of):
    visitor = visit(web_live_poll_s=0.01)
    known, asked = visitor.services.answers["evaluator.GetRun"], []

    def restarting(request):
        asked.append(request)
        # Whoever comes while it restarts is told so, and gets the figures as soon as it is there.
        return fault_of(grpc.StatusCode.UNAVAILABLE, "restarting") if len(asked) < 3 else known(request)

    visitor.services.answers["evaluator.GetRun"] = restarting
    with visitor.stream("GET", f"/runs/{'0' * 32}/events") as answer:
        text = "".join(answer.iter_text())
    assert answer.status_code == 200 and text.startswith('event: away\ndata: "restarting"')
    assert "event: progress" in text and text.endswith("event: done\ndata: {}\n\n")


def test_a_task_lays_two_answers_side_by_side_with_their_difference(visit):
    text = visit().get(f"/tasks/{'0' * 32}?a={'0' * 16}&b={'1' * 16}.0").text
    assert '<span class="del">-    return text.split()[0:]' in text
    assert '<span class="add">+    return text.split()[1:]' in text
    assert "Differences" not in visit().get(f"/tasks/{'0' * 32}?a={'0' * 16}").text
    # Python's head first, then the others; the certificate as a table.
    assert text.index("def normalise(text: str)") < text.index("func normalise(text string)")
    assert "3 of 4 killed, 1 proved equivalent, 0 alive" in text and "2/3 by strong-70b" in text
    assert "a text &lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; (documentation)" in text
    # Values as people write them.
    assert "normalise(&#34;a  b&#34;)" in text and "[&#34;a&#34;, &#34;b&#34;]" in text
    assert "normalise((1, null))" in text and ">nan<" in text and "$" not in text.partition("<h2>Cases")[2]


def test_tasks_are_filtered(visit):
    assert "1 task<" in visit().get("/tasks?q=words normalise&source=wordkit&difficulty=Easy").text
    assert "0 tasks" in visit().get("/tasks?q=nothing").text
    assert visit().get("/tasks?start=-5").status_code == 200


def test_a_manifest_is_given_byte_for_byte(visit):
    answer = visit().get("/releases/2026-06/manifest.json")
    assert json.loads(answer.text)["tasks"][0]["kind"] == "SC"


def test_retractions_name_withdrawn_runs_too(visit):
    text = visit().get("/retractions").text
    assert "asked wrongly" in text and "wordkit 1.0" in text


def test_answers_that_were_judged_again_are_public_with_both_verdicts(visit):
    changed = visit().get("/retractions").text.partition('"verdicts">Verdicts</h2>')[2]
    assert "1 judgement anew so far" in changed and "the sandbox was mended &lt;script&gt;" in changed
    assert changed.index(">raised<") < changed.index(">passed<")
    whole = visit().get(f"/runs/{'0' * 32}/tasks/{'0' * 32}").text
    every = whole.partition("Every verdict on it")[2]
    assert "3 / 50" in every and "50 / 50" in every and "the first verdict" in every


def test_a_retraction_shows_what_it_changed(visit):
    text = visit().get(f"/retractions/{'0' * 32}").text
    assert "1–2" in text and "75.0" in text and "2026-06, python, greedy" in text
    assert f"/retractions/{'0' * 32}" in visit().get("/retractions").text


def test_a_model_shows_what_its_runs_took_and_nearly_solved(visit):
    text = visit().get("/models/strong-70b").text
    assert ">12</td>" in text and "120,000 tokens, 0.2500 USD" in text
    assert "SC 40/100, WSC 40/100" in text and "Easy 40/100, Medium 40/100, Hard 40/100" in text


def test_a_model_without_runs_is_not_found(visit):
    assert visit().get("/models/nobody").status_code == 404


def test_tasks_are_filtered_by_how_they_are_told(visit):
    for wording, names in (
        ("described", ["normalise"]),
        ("by_example", ["normalise_whitespace_and_punctuation_of_paragraphs"]),
    ):
        body = visit().get(f"/tasks?wording={wording}").text.partition("<tbody>")[2]
        assert re.findall(r"<code>(\w+)</code></a></th>", body) == names


def test_a_model_of_which_nothing_is_judged_shows_no_share(visit):
    visitor = visit()
    for row in visitor.services.answers["evaluator.Leaderboard"].rows:
        row.ClearField("pass_at_1")
    text = visitor.get("/models/strong-70b").text
    assert text.count('data-label="%" class="number">–</td>') == 2 and '<svg class="bar"' not in text


def test_a_model_shows_what_a_row_that_lacks_verdicts_can_be_and_no_score(visit):
    visitor = visit()
    row = visitor.services.answers["evaluator.Leaderboard"].rows[0]
    row.rank_low = row.rank_high = 0
    row.pass_at_1.passed = row.pass_at_1.total = 1
    row.pass_at_1.value, row.least, row.most, row.pending, row.infrastructure = 1.0, 0.005, 1.0, 2, 197
    text = visitor.get("/models/strong-70b").text
    assert 'data-label="%" class="number">0.5 to 100.0</td>' in text and 'class="number">100.0</td>' not in text
    assert "1 / 1, 2 pending, 197 lost</td>" in text and "Rows without a rank lack verdicts" in text
    assert "at most 100.0 percent with what is missing" in text


def test_answers_that_were_lost_are_told_and_are_no_verdicts(visit):
    visitor = visit()
    listed = visitor.services.answers["evaluator.ListRuns"].runs[0]
    listed.withdrawn, listed.answers, listed.judged, listed.infrastructure = "", 20, 1, 19
    text = " ".join(visitor.get("/runs").text.split())
    assert 'class="number">1 / 20</td>' in text and "19 answers lost, asked again with the same call" in text
    finished = visitor.services.answers["evaluator.GetRun"]

    def lost(request):
        answer = finished(request)
        answer.summary.infrastructure = 2
        return answer

    visitor.services.answers["evaluator.GetRun"] = lost
    page = visitor.get(f"/runs/{'0' * 32}").text
    assert "1 of 3 answers judged" in page and "2 lost to faults and counted nowhere" in page
    with visitor.stream("GET", f"/runs/{'0' * 32}/events") as answer:
        assert '"lost": 2' in "".join(answer.iter_text())


def test_who_lacks_verdicts_gains_no_place_by_sorting_and_no_line(visit):
    visitor = visit()
    known = visitor.services.answers["evaluator.GetBoard"]

    def lucky(request):
        answer = known(request)
        (row,) = [row for row in answer.rows if not row.rank_low]
        row.value, row.least = 1.0, 0.0
        row.by_month.add(group="1999-01", passed=1, total=1, value=1.0, low=0.0, high=1.0)
        return answer

    visitor.services.answers["evaluator.GetBoard"] = lucky
    found = visitor.get("/rows.json?sort=share").json()["rows"]
    assert [row["rank_low"] for row in found] == [1, 2, 2, 4, 5, None]
    dated = [visitor.get(f"/?sort={sort}").text.partition("Share against date")[2] for sort in ("rank", "model")]
    drawn = [text.partition("<h2>")[0] for text in dated]
    # The best are the best in whatever order the table is.
    assert drawn[0] == drawn[1] and "the 5 best of the rows" in drawn[0] and "1999-01" not in drawn[0]


def test_tasks_say_how_many_answers_solved_them_and_stand_without_the_evaluator(visit, fault_of):
    body = visit().get("/tasks").text
    assert "5 / 12" in body and body.count('data-label="Solved by" class="number">–') == 1
    visitor = visit()
    visitor.services.answers["evaluator.ListTaskScores"] = fault_of(grpc.StatusCode.UNAVAILABLE, "away")
    answer = visitor.get("/tasks")
    assert answer.status_code == 200 and answer.text.count('data-label="Solved by" class="number">–') == 2


def test_a_failed_case_shows_what_it_was_called_with(visit, fault_of):
    address = f"/runs/{'0' * 32}/tasks/{'0' * 32}"
    visitor = visit()
    text = visitor.get(address).text
    (request,) = [each for name, each in visitor.services.asked if name == "pbt-generator.GetTask"]
    assert list(request.cases) == [3, 17]
    assert "normalise((3, null))" in text and "normalise((17, null))" in text and ">nan<" in text
    for answer in (fault_of(grpc.StatusCode.UNAVAILABLE, "away"), generator.GetTaskResponse(example_cases=["{}"])):
        visitor.services.answers["pbt-generator.GetTask"] = answer
        assert visitor.get(address).text.count("not known") == 4


def test_what_a_step_says_is_escaped_once_and_no_script(visit):
    text = visit().get(f"/runs/{'0' * 32}/tasks/{'0' * 32}").text
    assert "it&#39;s &lt;b&gt;" in text and "\\u0027" not in text and "\\u003c" not in text
    assert not [path for path in TEMPLATES.glob("*.html") if "tojson" in path.read_text()]


def test_rows_name_their_cells_for_whoever_sees_them_without_headings(visit, address):
    """On a phone a row is a card: each cell says what it is, in the words of its column."""
    text = visit().get(address).text
    for table in re.findall(r'<table class="rows">.*?</table>', text, re.S):
        heads = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', table)
        for row in re.findall(r"<tr.*?</tr>", table.partition("<tbody>")[2], re.S):
            if "colspan" not in row:
                assert re.findall(r'data-label="([^"]*)"', row) == heads


def test_columns_are_chosen_and_files_hold_what_is_seen(visit):
    usual = visit().get("/").text
    assert ">Near misses</th>" in usual and ">Sandbox CPU seconds</th>" not in usual
    chosen = "columns=percent&columns=cpu&columns=nonsense"
    text = visit().get(f"/?{chosen}").text
    heads = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', text.partition("<tbody>")[0])
    assert heads == ["Rank", "Model", "%", "Sandbox CPU seconds"]
    assert re.findall(r'value="(\w+)" checked', text) == ["percent", "cpu"]
    header, *lines = visit().get(f"/board.csv?{chosen}&sort=model").text.splitlines()
    assert header == "model,language,rank_low,rank_high,share,least,most,sandbox_cpu_s,run_id,wording"
    found = visit().get(f"/rows.json?{chosen}&sort=model").json()
    assert [list(row) for row in found["rows"]] == [header.split(",")] * len(lines) and found["digest"] == "f" * 64
    assert [row["model"] for row in found["rows"]] == [line.split(",")[0] for line in lines]
    only = visit().get("/rows.json?strategy=cocost").json()["rows"]
    assert [row["strategy"] for row in only] == ["cocost"] and "infrastructure" in only[0]


def test_the_board_and_a_run_are_plotted_against_date(visit):
    board = visit().get("/").text
    plot = board.partition("Share against date")[2].partition("</svg>")[0]
    assert "2024-03 to 2025-01" in plot and plot.count("<polyline") == 5 and "unknown" not in plot
    run = visit().get(f"/runs/{'0' * 32}").text
    plot = run.partition("around the cutoff 2024-06")[2].partition("</svg>")[0]
    assert plot.count("<circle") == 4 and "cutoff 2024-06</text>" in plot and "unknown" not in plot
    assert '<line class="cut" x1="249.0"' in plot


def test_runs_of_one_model_are_told_apart_and_no_name_covers_another(visit):
    visitor = visit()
    known = visitor.services.answers["evaluator.GetBoard"]

    def alike(request):
        answer = known(request)
        for number, row in enumerate(answer.rows):
            row.run.spec.model, row.run.spec.strategy, row.value = "m", f"way{number}", 0.5
        return answer

    visitor.services.answers["evaluator.GetBoard"] = alike
    text = visitor.get("/").text
    cost, dates = text.partition("<h2>Share against cost")[2].split("<h2>Share against date")
    named = re.findall(r'<text class="name"[^>]*>(.*?)</text>', cost)
    assert (
        "m way0" in named
        and cost.count("<circle") == 5
        and len(named) + int(re.search(r"(\d) dots? without a name", cost)[1]) == 5
    )
    assert [f"m way{number}: 50.0 %" in cost for number in range(5)] == [True] * 5
    assert [f"</svg> m way{number}</li>" in dates for number in range(5)] == [True] * 5


def test_a_run_lists_its_near_misses(visit):
    text = visit().get(f"/runs/{'0' * 32}?outcome=near_miss").text
    assert "1 near miss<" in text
    body = text.rpartition("<tbody>")[2]
    assert "f2" in body and "f1" not in body


def test_tasks_are_sorted_by_what_models_made_of_them(visit):
    for sort, first in (("hardest", "normalise"), ("easiest", "normalise"), ("near", "normalise")):
        body = visit().get(f"/tasks?sort={sort}").text.partition("<tbody>")[2]
        assert re.findall(r"<code>(.*?)</code>", body)[0] == first
    assert "95 %: -0.7 to +1.6" in visit().get("/tasks").text
    assert "5 of 12 answers passed, 2 near misses; measured difficulty +0.4" in visit().get(f"/tasks/{'0' * 32}").text


def test_a_run_is_paused_by_whoever_holds_the_token(visit):
    address = f"/runs/{'0' * 32}"
    visitor = visit(web_token="t0k")
    waiting = visitor.services.answers["evaluator.GetRun"](pb.GetRunRequest(run_id="0" * 32))
    waiting.finished = 1
    visitor.services.answers["evaluator.GetRun"] = waiting
    visitor.services.answers["evaluator.PauseRun"] = pb.PauseRunResponse(run=pb.RunSummary(run_id="0" * 32))
    assert "/pause" not in visitor.get(address).text and visitor.post(f"{address}/pause").status_code == 403
    held = {"authorization": "Bearer t0k"}
    assert f'action="{address}/pause"' in visitor.get(address, headers=held).text
    for what, resume in (("pause", False), ("resume", True)):
        answer = visitor.post(f"{address}/{what}", headers=held, follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, address)
        assert [each for name, each in visitor.services.asked if name == "evaluator.PauseRun"][-1].resume == resume
    waiting.summary.paused = True
    assert "nothing more is asked" in visitor.get(address).text
    assert f'action="{address}/resume"' in visitor.get(address, headers=held).text


def test_retrievers_stand_beside_each_other_on_every_set_of_labels(visit):
    text = visit().get("/retrieval").text
    release, now = text.partition("Labels of now")[::2]
    assert "Release 2026-06" in release and release.index(">plain<") < release.index(">plain:words<")
    assert "61.0 (95 %: 56.0 to 66.0); left out: 71.0 (66.0 to 76.0)" in release and "61.0 to 71.0" in release
    # Neither figure bounds the truth: what nobody judged may be right as well. So many queries were asked.
    assert "at most" not in release and "61.0 percent, 95 percent interval" in release and ">500 of 4,000<" in release
    # A measure that a score lacks is no zero.
    assert release.count('data-label="Recall@10 %" class="number folds">–<') == 2
    assert "&lt;script&gt;" in now and "12.5" not in now
    assert (
        release.count("labels dddddddddddd, 6,267 codes, index g-12ab of codes eeeeeeeeeeee")
        == 1
        == release.count("<table")
    )
    history = visit().get("/retrieval?history=true").text
    assert history.count("<table") == 3 and history.count("Labels of now") == 1, "other labels are another table"
    assert "labels cccccccccccc, 77 codes, index –, scored by method 1" in history
    older = history.split("<tr>")[-1]
    assert "– to 12.5<" in older and "<svg" not in older, "what nobody measured is no zero"
    found = visit().get("/retrieval.json").json()
    assert [row["retriever"] for row in found][:2] == ["plain", "plain:words"] and found[0]["measures"]["mrr"]["low"]
    empty = visit({"evaluator.ListRetrievalScores": pb.ListRetrievalScoresResponse()}).get("/retrieval").text
    assert "No score yet" in empty


@pytest.mark.parametrize("path", [f"/runs/{'0' * 32}", f"/runs/{'1' * 32}/tasks/{'0' * 32}", f"/tasks/{'0' * 32}"])
def test_a_wrong_answer_is_shown_with_the_mutant_that_fails_as_it_does(visit, path):
    text = visit().get(path).text
    assert (
        "<code>text[1:]</code> becomes <code>text[&lt;2&gt;:]</code> in line 2 (the same 2 of 2 failed cases)" in text
    )


def test_tasks_of_the_hard_band_are_marked(visit):
    visitor = visit()
    rows = visitor.get("/tasks").text.partition("<tbody>")[2].split("</tr>")
    assert "hard band" not in rows[0] and "hard band" in rows[1] and "paragraphs" in rows[1]
    for band, names in (("usual", ["normalise"]), ("hard", ["normalise_whitespace_and_punctuation_of_paragraphs"])):
        body = visitor.get(f"/tasks?band={band}").text.partition("<tbody>")[2]
        assert re.findall(r"<code>(\w+)</code></a></th>", body) == names
    address = f"/tasks/{'0' * 32}"
    assert "hard band" not in visitor.get(address).text
    told = visitor.services.answers["pbt-generator.GetTask"]

    def hard(request):
        answer = told(request)
        answer.task.complexity = 11
        return answer

    visitor.services.answers["pbt-generator.GetTask"] = hard
    assert "hard band" in visitor.get(address).text
