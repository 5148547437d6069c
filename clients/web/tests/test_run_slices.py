"""The slices of a run as its page shows them."""

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
