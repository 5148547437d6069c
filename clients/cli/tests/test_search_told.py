"""`touchstone search`: what is said beside the results, to programs too."""

import json

import pytest

from touchstone_cli import output


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"note": "nothing indexed matches go"}, ["nothing indexed matches go"]),
        (
            {"note": "words alone were compared", "index_lag": 2500},
            ["words alone were compared", "2,500 functions are not searchable yet"],
        ),
        ({"next_cursor": "abc"}, ["more: --cursor abc"]),
        ({"results": 1, "note": "ranked without big", "left_out": ["big"]}, ["ranked without big"]),
        (
            {"results": 1, "note": "a model failed", "mode": "plain"},
            ["asked for augmented, answered plain: a model failed"],
        ),
        ({"results": 1, "note": "more than 10,000 codes match", "index_lag": 3}, []),
    ],
)
def test_a_program_is_told_why_there_is_nothing_or_less(touchstone, world, answer, told):
    """By the line that guides give to programs; of `[]` alone nobody could tell what kept it empty."""
    pb = world.pb.retriever
    found = [pb.SearchResult(function_id="f")] * answer.pop("results", 0)
    mode = "augmented" if "mode" in answer else "plain"
    world.answers["Search"] = pb.SearchResponse(results=found, **{"mode": mode, **answer})
    done = touchstone("--quiet", "search", "x", "--json", "--mode", mode)
    output.be_quiet(False)
    assert done.code == 0 and len(json.loads(done.out)) == len(found)
    assert done.err.splitlines() == told
