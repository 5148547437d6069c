"""The slices of a run as its page shows them."""

import re

from touchstone.evaluator.v1 import evaluator_pb2 as pb


def test_a_slice_that_lacks_answers_shows_what_it_can_be_and_is_no_point_of_a_curve(visit):
    visitor = visit()
    profile = visitor.services.answers["evaluator.GetRunProfile"]
    hard = pb.Share(group="Hard", passed=3, total=3, value=1.0, low=0.05, high=1.0, asked=20, least=0.15, most=1.0)
    easy = pb.Share(group="Easy", passed=9, total=12, value=0.75, low=0.4, high=0.9, asked=12, least=0.75, most=0.75)
    profile.slices.extend(pb.Slice(dimension="difficulty", share=each) for each in (easy, hard))
    (month,) = [each.share for each in profile.slices if each.share.group == "2025-01"]
    month.asked, month.least, month.most = 14, 0.5, 0.79
    page = visitor.get(f"/runs/{'0' * 32}").text
    line = page.partition("<h2>By difficulty</h2>")[2].partition("</table>")[0]
    assert "15.0 to 100.0" in line and "3 / 3 of 20" in line and ">100.0<" not in line
    assert ">75.0<" in line and "9 / 12<" in line
    plot = page.partition("around the cutoff 2024-06")[2].partition("</svg>")[0]
    assert plot.count("<circle") == 3 and "2025-01: 7 of 10, 4 missing" in plot


def test_the_page_of_a_model_says_how_many_answers_a_slice_lacks(visit):
    visitor = visit()
    board = visitor.services.answers["evaluator.Leaderboard"]
    row = board.rows[0]
    row.by_difficulty[0].asked = row.by_difficulty[0].total + 7
    shown = row.by_difficulty[0]
    page = visitor.get(f"/models/{row.model}").text
    assert f"{shown.group} {shown.passed}/{shown.total} of {shown.asked}" in page


def test_months_are_as_far_apart_as_they_are(visit):
    visitor = visit()
    plot = visitor.get(f"/runs/{'0' * 32}").text.partition("around the cutoff 2024-06")[2].partition("</svg>")[0]
    places = [float(x) for x in re.findall(r'<circle[^>]* cx="([^"]*)"', plot)]
    # March, June and July 2024, and January 2025.
    assert places == [60.0, 222.0, 276.0, 600.0]
    assert re.findall(r'class="cut" x1="([^"]*)"', plot) == ["249.0"]
    asked = visitor.services.answers["evaluator.GetBoard"]

    def dated(request):
        board = asked(request)
        for row in board.rows:
            del row.by_month[:]
            for month in ("2020-01", "2025-11", "2025-12"):
                row.by_month.add(group=month, passed=1, total=2, asked=2, value=0.5)
        return board

    visitor.services.answers["evaluator.GetBoard"] = dated
    points = re.search(r'<polyline class="line1" points="([^"]*)"', visitor.get("/").text)[1].split()
    assert [point.split(",")[0] for point in points] == ["60.0", "592.4", "600.0"]
