"""Words, bags of words, calls and texts."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from embedder.domain.bag_of_words import embed_words
from embedder.domain.calls import wanted_callees
from embedder.domain.texts import CALLEE_CHARACTERS, embedding_text
from embedder.domain.vectors import from_bytes, normalised, to_bytes
from touchstone_runtime.words import split_words, stem, terms


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("snake_case_name", ["snake", "case", "name"]),
        ("camelCaseName", ["camel", "case", "name"]),
        ("HTTPServer2", ["http", "server", "2"]),
        ("x.y[0]", ["x", "y", "0"]),
        ("größe", ["grosse"]),
        ("résumé", ["resume"]),
        ("re\u0301sume\u0301", ["resume"]),
        ("für_número", ["fur", "numero"]),
        ("ПарситьДату", ["парсить", "дату"]),
        ("ΜΕΓΕΘΟΣ", ["μεγεθοσ"]),
        ("sort排序函数", ["sort", "排序函数"]),
        ("हिन्दी", ["हिन्दी"]),
        ("x² ﬁle", ["x", "2", "file"]),
        ("一二三×四", ["一二三", "四"]),
        ("", []),
    ],
)
def test_words_are_cut_at_case_underscore_and_digit(text, words):
    assert split_words(text) == words


@given(st.text())
def test_words_are_the_same_however_letters_are_composed_and_in_lower_case(text):
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert split_words(unicodedata.normalize(form, text)) == split_words(text)
    assert all(word == word.casefold() for word in split_words(text))


def test_a_question_finds_the_definition_it_names_in_any_script():
    query = embed_words("ÉTÉ", 512, code=False)
    named = embed_words("def été(a, b):\n    return hiver(a, b)", 512, code=True)
    mentioned = embed_words("def hiver(a, b):\n    return été(a, b)", 512, code=True)
    assert query @ named > query @ mentioned > 0


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=20))
def test_a_stem_is_short_and_never_empty(word):
    assert 0 < len(stem(word)) <= len(word)


def test_a_question_meets_the_name_it_is_about():
    question = embed_words("how do I flatten nested lists in python?", 512, code=False)
    right = embed_words("def flatten_list(nested):\n    return [x for row in nested for x in row]", 512, code=True)
    wrong = embed_words("def parse_date(text):\n    return datetime.fromisoformat(text)", 512, code=True)
    assert question @ right > 0.4 > question @ wrong


def test_the_name_of_a_definition_weighs_more_than_a_word_of_the_body():
    query = embed_words("merge", 512, code=False)
    named = embed_words("def merge(a, b):\n    return combine(a, b)", 512, code=True)
    mentioned = embed_words("def combine(a, b):\n    return merge(a, b)", 512, code=True)
    assert query @ named > query @ mentioned


@given(st.text(max_size=300), st.sampled_from([8, 64, 512]), st.booleans())
def test_a_bag_of_words_has_length_one_or_none(text, dimensions, code):
    vector = embed_words(text, dimensions, code=code)
    assert vector.shape == (dimensions,)
    length = float(np.linalg.norm(vector))
    # Words whose hashes collide with opposite signs may cancel to nothing.
    assert length == pytest.approx(1.0, abs=1e-5) or length == 0.0
    assert terms(text) or length == 0.0


@given(st.text(max_size=200))
def test_the_same_text_has_the_same_bytes(text):
    assert to_bytes(embed_words(text, 64, code=True)) == to_bytes(embed_words(text, 64, code=True))


@given(hnp.arrays(np.float32, hnp.array_shapes(min_dims=2, max_dims=2), elements=st.floats(-100, 100, width=32)))
def test_vectors_survive_bytes_and_are_normalised(vectors):
    assert np.array_equal(from_bytes(to_bytes(vectors), vectors.shape[1]), vectors)
    for row, unit in zip(vectors, normalised(vectors), strict=True):
        if np.linalg.norm(row.astype(np.float64)) > 1e-3:
            assert np.linalg.norm(unit) == pytest.approx(1.0, abs=1e-4)


def test_a_function_that_mostly_calls_wants_its_callees(unit):
    code = "def report(rows):\n    '''Say it.'''\n    clean = tidy(rows)\n    return render(clean)"
    assert wanted_callees(unit("report", code)) == ("report.tidy", "tidy", "report.render", "render")


def test_methods_and_siblings_are_looked_up_where_the_language_does(unit):
    method = unit(
        "Page.html", "def html(self):\n    return self.head() + self.body()", form="method", enclosing_class="Page"
    )
    assert wanted_callees(method) == ("Page.head", "Page.body")
    nested = unit("outer.<locals>.inner", "def inner():\n    return sibling()", form="nested")
    assert wanted_callees(nested) == ("outer.inner.sibling", "outer.sibling", "sibling")


@pytest.mark.parametrize(
    "code",
    [
        "def f(x):\n    return len(str(x))",
        "def f(x):\n    return f(x)",
        "def f(x):\n    a = x + 1\n    b = a * 2\n    c = b - 3\n    return g(c)",
        "def f(x):\n" + "    g(x)\n" * 13,
        "def f(x):\n    return x.g()",
        "def f(",
    ],
)
def test_builtins_itself_few_calls_and_long_bodies_want_nothing(unit, code):
    assert [place for place in wanted_callees(unit("f", code)) if place != "f.f"] == []


def test_calls_are_found_in_other_languages_too(unit):
    code = "function total(items) {\n  const clean = tidy(items);\n  return this.sum(clean);\n}"
    method = unit("Cart.total", code, language="javascript", form="method", enclosing_class="Cart")
    assert wanted_callees(method) == ("Cart.total.tidy", "tidy", "Cart.sum")


def test_a_text_holds_the_docstring_once_and_the_callees_at_the_end(unit):
    python = unit("f", 'def f():\n    """Do it."""\n    return g()', docstring="Do it.")
    assert embedding_text(python, ["def g():\n    return 1"], 1000) == (
        'def f():\n    """Do it."""\n    return g()\ndef g():\n    return 1'
    )
    java = unit("f", "int f() { return 1; }", docstring="Gives one.", language="java")
    assert embedding_text(java, [], 1000) == "Gives one.\nint f() { return 1; }"


def test_a_class_is_told_by_its_heads(unit):
    code = (
        "class Cart:\n    '''Things to buy.'''\n    limit = 3\n    def add(self, x):\n"
        "        self.x = x\n    def total(self):\n        return 1"
    )
    text = embedding_text(unit("Cart", code, form="class"), [], 1000)
    assert text == ("class Cart:\n    '''Things to buy.'''\n    limit = 3\n    def add(self, x):\n    def total(self):")


@given(st.integers(200, 2000), st.integers(0, 6), st.integers(0, 3000))
def test_a_text_is_never_longer_than_its_limit(limit, callees, size):
    from embedder.domain.units import CodeUnit

    long = CodeUnit("i", "v", "python", "p", "f", "function", "def f():\n" + "x" * size, "", "", "{}")
    text = embedding_text(long, ["y" * 5000] * callees, limit)
    assert len(text) <= limit
    assert text.count("y") <= 3 * CALLEE_CHARACTERS
