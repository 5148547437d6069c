"""Which words of a question say what codes are scored: no code that belongs among the best may be left out."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from retriever.adapters.pg_text import needed_words, rarest
from retriever.domain.text import TextStatistics, bm25

WORDS = "abcdef"
CODES = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(Counter), min_size=1, max_size=30)


def statistics_of(codes):
    holding = {word: sum(word in code for code in codes) for word in WORDS}
    return TextStatistics(len(codes), sum(code.total() for code in codes) / len(codes), holding)


@given(codes=CODES, asked=st.lists(st.sampled_from(WORDS), min_size=1, unique=True), least=st.floats(0, 12))
def test_every_code_with_a_higher_score_holds_one_of_the_needed_words(codes, asked, least):
    statistics = statistics_of(codes)
    needed = needed_words(asked, statistics, least)
    for code in codes:
        if bm25(asked, code, statistics) > least:
            assert set(needed) & set(code)


def test_the_rarest_words_come_first_until_enough_codes_have_one():
    statistics = TextStatistics(30_000, 50.0, {"get": 25_000, "header": 300, "rfc": 4, "value": 9000, "nowhere": 0})
    asked = ["get", "header", "nowhere", "rfc", "value"]
    assert rarest(asked, statistics, 1) == ["rfc"]
    assert rarest(asked, statistics, 100) == ["rfc", "header"]
    # More than 20,000 are never scored, unless there is no other word.
    assert rarest(asked, statistics, 20_000) == ["rfc", "header", "value"]
    assert rarest(["get", "nowhere"], statistics, 100) == ["get"]
    assert rarest(["nowhere"], statistics, 100) == []


def test_common_words_are_left_out_only_where_they_could_not_lift_a_code_among_the_best():
    statistics = TextStatistics(30_000, 50.0, {"get": 19_000, "rfc": 4})
    assert needed_words(["get", "rfc"], statistics, 2.0) == ["rfc"]
    assert needed_words(["get", "rfc"], statistics, 0.0) == ["rfc", "get"]
