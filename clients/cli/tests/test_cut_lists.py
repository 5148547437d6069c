"""Lists that hold less than there is say so, beside JSON too; options that are not understood end with 2."""

import json

import pytest


@pytest.fixture
def many(world):
    """Answers with as many pairs, queries and refusals as are asked for, of `there` in all."""

    def fill(there):
        def page(request, make, answer, name):
            begun = int(request.page_token or 0)
            ended = min(there, begun + request.limit)
            fields = {name: [make(f"{n:032x}") for n in range(begun, ended)]}
            return answer(**fields, next_page_token=str(ended) if ended < there else "")

        annotator, retriever, generator = world.pb.annotator, world.pb.retriever, world.pb.generator
        world.answers["ListPairs"] = lambda request: page(
            request, lambda key: annotator.LabelledPair(pair_id=key), annotator.ListPairsResponse, "pairs"
        )
        world.answers["ListQueries"] = lambda request: page(
            request, lambda key: retriever.QueryInfo(query_id=key), retriever.ListQueriesResponse, "queries"
        )
        world.answers["ListRefusals"] = lambda request: generator.ListRefusalsResponse(
            refusals=[generator.Refusal(reason="trivial")] * min(there, request.limit or there)
        )

    return fill


LISTS = [
    (("pairs", "list"), 50, "the first 50 pairs of more; --limit 0 gives all\n"),
    (("queries", "list"), 100, "the first 100 queries of more; --limit 0 gives all\n"),
    (("tasks", "refused"), 50, "the newest 50"),
]


@pytest.mark.parametrize(("command", "limit", "words"), LISTS, ids=[" ".join(each[0]) for each in LISTS])
@pytest.mark.parametrize("as_json", [[], ["--json"]], ids=["table", "json"])
def test_a_list_that_is_cut_says_so(touchstone, many, command, limit, words, as_json):
    def listed(*more):
        done = touchstone(*command, *as_json, *more)
        assert done.code == 0
        return (len(json.loads(done.out)) if as_json else len(done.out.splitlines()) - 1), words in done.err

    many(limit + 1)
    assert listed() == (limit, True)
    assert listed("--limit", "0") == (limit + 1, False)
    many(limit)
    assert listed() == (limit, False)


@pytest.mark.parametrize(
    "command",
    [
        ("cost", "--by", "nonsense"),
        ("token", "create", "x", "--scope", "nonsense"),
        ("token", "create", "x", "--expires", "soon"),
        ("token", "create", "x", "--rate", "nan"),
        ("try", "words.py"),
    ],
    ids=" ".join,
)
def test_what_is_not_understood_ends_with_2(touchstone, world, tmp_path, command):
    more = ("--file", tmp_path / "tokens.json") if command[0] == "token" else ()
    done = touchstone(*command, *more)
    assert (done.code, done.out) == (2, "") and done.err
