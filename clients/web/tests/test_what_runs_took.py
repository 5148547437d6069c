"""What runs took: what nobody knows is no zero, and what is not finished is not cheap."""

import csv
import io


def rows_of(visitor, change):
    known = visitor.services.answers["evaluator.GetBoard"]

    def changed(request):
        answer = known(request)
        change(answer.rows)
        return answer

    visitor.services.answers["evaluator.GetBoard"] = changed


def test_answers_that_somebody_else_sampled_are_nowhere_the_cheapest(visit):
    visitor = visit()

    def theirs(rows):
        rows[0].run.spec.strategy, rows[0].run.unpriced = "submitted", 100
        rows[0].run.cost_usd = rows[0].run.tokens_in = rows[0].run.tokens_out = 0

    rows_of(visitor, theirs)
    model = visitor.get("/rows.json").json()["rows"][0]["model"]
    for sort in ("cost", "tokens"):
        found = visitor.get(f"/rows.json?sort={sort}").json()["rows"]
        assert model in [row["model"] for row in found[-2:]] and model != found[0]["model"]
    row = next(row for row in csv.DictReader(io.StringIO(visitor.get("/board.csv").text)) if row["model"] == model)
    assert (row["cost_usd"], row["tokens_in"], row["tokens_out"]) == ("", "", "")
    page = visitor.get("/?columns=cost&columns=tokens").text
    assert "2 runs of which nobody knows what they took: not drawn" in page
    (line,) = [each for each in page.split("<tr") if 'data-label="USD"' in each and f">{model}<" in each]
    assert line.count(">unknown</td>") == 2


def test_a_cost_of_which_a_part_is_known_is_not_told_as_the_whole(visit):
    visitor = visit()

    def partly(rows):
        rows[0].run.cost_usd, rows[0].run.unpriced = 0.4, 990

    rows_of(visitor, partly)
    assert ">0.4000 + unknown</td>" in visitor.get("/?columns=cost").text
    assert visitor.get("/rows.json").json()["rows"][0]["cost_usd"] is None
    assert visitor.get("/board.json").json()["rows"][0]["run"]["cost_usd"] is None


def test_a_run_that_has_only_begun_is_not_the_cheapest(visit):
    visitor = visit()

    def begun(rows):
        (row,) = [each for each in rows if not each.rank_low]
        row.run.cost_usd, row.run.tokens_in = 0.000001, 1

    rows_of(visitor, begun)
    for sort in ("cost", "tokens"):
        found = [row for row in visitor.get(f"/rows.json?sort={sort}").json()["rows"] if row["cost_usd"] is not None]
        assert [row["rank_low"] is None for row in found] == [False] * (len(found) - 1) + [True]
