"""Codes without their authors' words: nothing of a text gets through, and what is written for such a code fits it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.pair import LANGUAGES, Pair
from annotator.domain.vocabulary import KNOWN, SAID_OF_ERRORS
from annotator.domain.wordless import without_words, wordless

ALLOWED = re.compile(
    r"(?:ident|literal|numeral)\d+|\d[\w.]*|[dsfrxYmHMSjpnt0]+|[rRbBuUfF]{1,2}|utf|latin|[rwa]b?|__main__"
)


def words_in(text):
    return re.findall(r"\w+", text)


@pytest.mark.parametrize("language", LANGUAGES)
@given(
    before=st.text("def f(x):\n\"'`#/*\\ {}", max_size=12),
    text=st.text(max_size=60) | st.lists(st.sampled_from(["approve", "it", "да", "Said_so", "sayYes"])).map(" ".join),
    after=st.text("\"'`#/*\\ \n){}", max_size=12),
)
def test_whatever_the_text_no_word_of_it_is_left(language, before, text, after):
    """Wherever quotes and comments begin or end: no state of a reader lets a foreign word through."""
    shown = wordless(f"{before}{text}{after}", language)
    for found in (shown.code, shown.cut(text)):
        assert found.isascii()
        for word in words_in(found):
            assert word in KNOWN[language] or not word.strip("_") or ALLOWED.fullmatch(word), word
    for word in words_in(shown.hide(text)):
        assert word in KNOWN[language] | SAID_OF_ERRORS or not word.strip("_") or ALLOWED.fullmatch(word), word


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_verdict_is_among_the_words_that_stay(language):
    assert not KNOWN[language] & {"match", "label", "yes", "no", "approve", "accept", "correct", "answer", "fits"}


def test_what_the_code_says_by_its_language_stays():
    code = (
        "import os, re\n\n\nclass Cleaner(object):\n    # tidy\n    def tidy_up(self, path, sep=','):\n"
        '        """Tidies up."""\n        rows = [line.split(sep) for line in open(path, "rb")]\n'
        "        return sorted(rows, key=lambda row: len(row) % 86400 + 7)[::-1]"
    )
    assert wordless(code, "python").code == (
        "import os, re\nclass ident1(object):\n    def ident2(self, path, sep=','):\n"
        '        "..."\n        rows = [line.split(sep) for line in open(path, "rb")]\n'
        "        return sorted(rows, key=lambda row: len(row) % 86400 + 7)[::-1]"
    )


def test_names_of_several_words_that_the_standard_library_has_stay():
    code = (
        "try:\n    socket.create_connection(tell_him)\nexcept subprocess.CalledProcessError:\n"
        "    shutil.ignore_match(sys.exc_info(), errno.ENOENT)"
    )
    assert wordless(code, "python").code == (
        "try:\n    socket.create_connection(ident1)\nexcept subprocess.CalledProcessError:\n"
        "    shutil.ident2(sys.exc_info(), errno.ident3)"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_name_of_several_words_holds_one_by_which_a_verdict_is_given(language):
    verdicts = {"label", "yes", "no", "approve", "accept", "accepted", "correct", "answer", "judge"}
    parts = {word: {part.lower() for part in re.findall("[A-Z]?[a-z]+", word)} for word in KNOWN[language]}
    assert not [word for word, of_word in parts.items() if len(of_word) > 1 and of_word & verdicts]


@pytest.mark.parametrize("code", ["def f(x):\n    return x[::-1]", "f = lambda a, b: a + b"])
def test_a_code_without_words_says_nothing(code):
    assert not wordless(code, "python").spoke


@pytest.mark.parametrize(
    "code",
    [
        "def yes(x): return x",
        "def f(x): return x  # ja",
        "def f(x): return x.ok",
        "def f(x): return 'ok'",
        "def f(x): return 3131961357",
        "def f(x): return [83, 97, 121, 105, 116, 33]",
        "да = 1",
        "def s(a, y): y.e.s(t)",
    ],
)
def test_whatever_could_be_read_is_something_that_was_said(code):
    assert wordless(code, "python").spoke


def test_what_is_written_for_such_a_code_fits_the_code():
    shown = wordless('def pick_name(user):\n    return user["full_name"] or missing_helper(user)', "python")
    assert shown.code == 'def ident1(ident2):\n    return ident2["literal1"] or ident3(ident2)'
    written = 'ident3 = str\nassert ident1({"literal1": "Ada"}) == "Ada"\nident9 = 1'
    assert shown.reveal(written) == 'missing_helper = str\nassert pick_name({"full_name": "Ada"}) == "Ada"\nident9 = 1'
    assert shown.rename(shown.reveal(written)) == written
    assert shown.revealed([{"literal1": ["ident1", 1, None]}]) == [{"full_name": ["pick_name", 1, None]}]


def test_uncommon_numbers_are_numbered_as_they_may_be_letters():
    shown = wordless("def f(x): return x * 121 + 101 - 115 % 1000 + 1e-9 + 0.5 + 3.25 + 1_000", "python")
    assert shown.code.endswith("x * numeral1 + numeral2 - numeral3 % 1000 + 1e-9 + 0.5 + numeral4 + numeral5")
    assert shown.reveal("numeral1 + ident1(1)") == "121 + f(1)"


def test_messages_keep_what_an_interpreter_says():
    shown = wordless("def pick_name(user, fallback): pass", "python")
    told = "TypeError: pick_name() missing 1 required positional argument: 'fallback' (approve it)"
    assert shown.hide(told).startswith("TypeError: ident1() missing 1 required positional argument: 'ident3' (ident4")


def test_a_pair_without_words_says_so_and_is_the_same_otherwise():
    pair = Pair("p", "q", "query", "f", "function turn(text) { return text; }", "javascript")
    bare = without_words(pair, wordless(pair.code, pair.language))
    assert bare.code.startswith("// ident1") and bare.query == pair.query
