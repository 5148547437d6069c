"""What a search finds is not shown where it is the asked function, whatever it is called there."""

import time

import pytest

from evaluator.domain.cocost import is_copy, leaks
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
    assert is_copy(code, likeness_of(TRUTH)) is copied
    assert not is_copy(code, "")


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
