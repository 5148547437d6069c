"""The bench of what asking again costs: its made-up judge knows the protocol's questions, and its figures add up."""

from dataclasses import replace

import pytest

from annotator.domain.control import either_query, other_code, other_query
from annotator.domain.pair import LANGUAGES, Pair
from annotator.domain.wordless import without_words, wordless


@pytest.fixture(scope="module")
def bench(load_script):
    return load_script("tests/bench/annotation_doubts.py")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_judge_knows_what_the_protocol_asks(bench, language):
    pair = Pair("p", "q", "reverse a string", "f", "def backwards(text): return text[::-1]", language)

    def word(asked, **character):
        known = {"accuracy": 1.0, "consistency": 1.0, "control": 1.0, "wavers": "alike", **character}
        return bench.HonestJudge(pair, 1, bench.Character(**known), "s").word(asked.query, asked.code)

    assert (word(pair), word(other_code(pair)), word(either_query(pair)), word(other_query(pair))) == (1, 0, 1, 0)
    bare = without_words(pair, wordless(pair.code, language))
    assert (word(bare), word(bare, consistency=0.0)) == (1, 0)
    assert (word(pair, consistency=0.0), word(pair, accuracy=0.0)) == (1, 0)
    assert word(other_code(pair), control=0.0) == 1


async def test_a_perfect_judge_loses_nothing_and_the_shares_of_others_are_the_expected_ones(bench):
    perfect = await bench.simulate(bench.Character(1.0, 1.0, 1.0, "alike"), 1)
    assert (perfect["decided_share"], perfect["lost"], perfect["right_of_decided"]["estimate"]) == (1.0, 0, 1.0)
    some = bench.Character(0.8, 0.9, 1.0, "wrong first")
    line = await bench.simulate(some, 4)
    assert line["decided"] + line["lost"] == line["pairs"] and line["lost_and_right"] == 0 == line["lost_to_the_query"]
    assert line["decided_share"] == pytest.approx(line["expected_decided_share"], abs=0.05)
    assert line["right_of_decided"]["estimate"] > line["right_without_asking_again"]["estimate"]
    alike = await bench.simulate(replace(some, wavers="alike", control=0.5), 1)
    assert alike["lost_and_right"] > 0 < alike["lost_to_the_query"]
