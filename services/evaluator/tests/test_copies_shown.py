"""What a search finds is not shown where it is the asked function, whatever it is called there."""

import functools
import re
import textwrap
import time

import pytest

from evaluator.domain.cocost import leaks
from evaluator.domain.copies import is_copy, shapes_of
from touchstone_runtime.likeness import likeness_of

TRUTH = "def f1(x):\n    total = 0\n    for digit in str(abs(x)):\n        total += int(digit) ** 2\n    return total\n"


@pytest.mark.parametrize(
    ("code", "copied"),
    [
        (TRUTH, True),
        (TRUTH.replace("f1", "_squares"), True),
        ("import re\n\n" + TRUTH.replace("f1", "squares").replace("total", "summed"), True),
        ("class Digits:\n    @staticmethod\n    " + TRUTH.replace("f1", "squares").replace("\n", "\n    "), True),
        (TRUTH.replace("** 2", "// 2"), False),
        ("def f2(x):\n    return x\n", False),
        ("func squares(x int) int { return x }", False),
    ],
)
def test_a_copy_is_known_by_what_it_does(code, copied):
    assert is_copy(code, shapes_of(TRUTH, "f1")) is copied
    # Of tasks that were learned before that, likeness tells.
    assert is_copy(code, likeness_of(TRUTH)) is copied
    assert not is_copy(code, "")


HELPER = "def _bare(word):\n    return word.strip(_MARKS).lower()\n"
CLEAN = (
    "def clean(text):\n    words = []\n    for word in map(_bare, text.split()):\n        if word not in words:\n"
    "            words.append(_bare(word))\n    return sorted(words, key=len)\n"
)
SLICE = f"_MARKS = '.,'\n\n\n{HELPER}\n\n@cache\n{CLEAN}"
CLASS = (
    "class Words:\n    def __init__(self, text: str):\n        self.text = text\n"
    "    def count(self, word):\n        n = 0\n        for each in self._words():\n            n += each == word\n"
    "        return n\n    def _words(self):\n        return self.text.split()\n"
)
DRIVER = (
    "\n\ndef words_operations(operations):\n    driven = Words('')\n    return [driven.count(n) for n in operations]\n"
)
METHOD = (
    "def clipped(self, most: int) -> int:\n    area = self.width * self.height\n    if area > most:\n"
    "        area = self._cut(area, most)\n    return area\n"
)
RECORD = (
    "def rect_clipped(width, height, most):\n    area = width * height\n    if area > most:\n"
    "        area = rect_cut(area, most)\n    return {'result': (area), 'width': width}\n"
)


def renamed(code):
    names = ("clean", "_bare", "_MARKS", "Words", "words", "text", "count", "clipped", "width", "height", "_cut")
    return functools.reduce(lambda made, name: re.sub(rf"\b{name}\b", f"_{name}_x", made), names, code)


@pytest.mark.parametrize(
    ("code", "name", "found"),
    [
        (SLICE, "clean", CLEAN),
        (SLICE, "clean", SLICE),
        (SLICE, "clean", "class A:\n" + textwrap.indent(CLEAN, "    ").replace("(text)", "(self, text)")),
        (CLASS, "Words", CLASS),
        (CLASS, "Words", "import re\n\n" + CLASS),
        (CLASS + DRIVER, "words_operations", CLASS),
        (CLASS + DRIVER, "words_operations", textwrap.dedent("    def count" + CLASS.split("def count")[1])),
        (RECORD, "rect_clipped", METHOD),
    ],
)
def test_a_copy_of_anything_that_makes_a_task_is_known(code, name, found):
    assert not leaks(renamed(found), (name,))
    assert is_copy(renamed(found), shapes_of(code, name))


@pytest.mark.parametrize(
    "found",
    [
        HELPER,
        CLEAN.replace("not in", "in").replace("len", "min"),
        "class Other:\n    def __init__(self, text: str):\n        self.text = text\n",
        "def words(self):\n    return self.text.split()\n",
    ],
)
def test_what_many_have_is_no_copy(found):
    assert not is_copy(found, shapes_of(SLICE, "clean"))
    assert not is_copy(found, shapes_of(CLASS + DRIVER, "words_operations"))


def test_code_that_is_nested_too_deeply_is_no_copy_and_no_fault():
    for long in ("+".join(["x"] * 700), "x" + ".a()" * 700, "[" * 150 + "]" * 150):
        code = f"def f(x):\n    return {long}\n"
        assert not is_copy(code, shapes_of(CLEAN, "clean")) and isinstance(shapes_of(code, "f"), str)
        assert is_copy(f"{code}\n\n{CLEAN}", shapes_of(CLEAN, "clean"))


@pytest.mark.parametrize(
    "code",
    [
        "clip = staticmethod(_clip)",
        "clip = functools.partial(_x, 1)",
        "clip: Callable = lambda x: x",
        "clip(cb: () => void): void { }",
        "const clip: (x: number) => number = x => x",
    ],
)
def test_other_forms_of_a_definition_are_known(code):
    assert leaks(code, ("clip",))


@pytest.mark.parametrize("code", ["y = clip(x)", "clip: int = 3", "a = {clip: 1}", "if (clip(f(x))) return 1;"])
def test_a_use_is_none(code):
    assert not leaks(code, ("clip",))


@pytest.mark.parametrize("uses", ["clip: ", "clip()", "clip(x) ", "clip:a "])
def test_a_long_line_with_many_uses_is_read_in_time(uses):
    began = time.process_time()
    assert not leaks(uses * 10_000, ("clip",))
    assert time.process_time() - began < 3
