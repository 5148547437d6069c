"""Changes that are left out since they make no difference by their form: none of them is one that makes a difference."""

from __future__ import annotations

import textwrap

import pytest

from pbt_generator.domain.oracle.mutation.mutants import Mutant, mutate

WINDOW = "seen = []\nfor n in xs:\n    if n in seen: return n\n    seen.append(n)\n    if y: seen.pop(0)"
CAUGHT = "try:\n    a, b = x.split(',')\nexcept ValueError:\n    return None\nreturn a"
TAKEN = "best = 0\nfor n in xs:\n    if y.pop() > best: best = y.pop()\nreturn best"
MEMBERS = "seen = []\nfor n in xs:\n    if n in seen: return n\n    seen.append(n)"


def mutants_of(body: str, head: str = "x, y=0, xs=()") -> dict[str, Mutant]:
    source = f"import re\ndef f({head}):\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"
    return {mutant.change: mutant for mutant in mutate(source, "f").mutants}


@pytest.mark.parametrize(
    ("body", "change"),
    [
        # Which member is taken out of a window decides what is in it afterwards.
        (WINDOW, "seen.pop(0) → seen.pop()"),
        (WINDOW, "seen.pop(0) twice"),
        # A function that is given a list may put something in.
        ("a = []\nfill(a)\na.append(x)\nreturn a", "a.append(x) → a.insert(0, x)"),
        ("a = []\nb = a\nb.append(y)\na.append(x)\nreturn b", "a.append(x) → a.insert(0, x)"),
        # A name that began as a text may hold a list later.
        ("a = ''\na = x.split()\nreturn sorted(a)", "sorted(a) → sorted(set(a))"),
        # All parts of a text are kept, and a wrong number of them may be caught.
        ("parts = x.split(',')\nreturn parts", "x.split(',') → x.split(',', 1)"),
        ("a, *b = x.split(',')\nreturn b", "x.split(',') → x.split(',', 1)"),
        (CAUGHT, "x.split(',') → x.split(',', 1)"),
        # One of two ways of an expression is tied to the beginning.
        (r"return re.sub('^ +| +$', '', x)", "re.sub('^ +| +$', '', x) → re.sub('^ +| +$', '', x, count=1)"),
        ("return bool(re.search('^a|b', x))", "re.search('^a|b', x) → re.match('^a|b', x)"),
        ("return bool(re.search('^a', x, re.M))", "re.search('^a', x, re.M) → re.match('^a', x, re.M)"),
        # What is evaluated twice may be something else the second time.
        (TAKEN, "y.pop() > best → y.pop() >= best"),
    ],
)  # fmt: skip
def test_a_change_that_may_matter_is_a_mutant(body: str, change: str) -> None:
    mutant = mutants_of(body)[change]
    assert not mutant.reading and not mutant.proof


@pytest.mark.parametrize(
    ("body", "change"),
    [
        (
            MEMBERS,
            "seen.append(n) → seen.insert(0, n)",
        ),
        ("a = []\nif x: a.append(x)\nreturn ','.join(a)", "a.append(x) → a.insert(0, x)"),
        ("a = {}\nfor n in xs: a[n] = y\nreturn sorted(a)", "sorted(a) → sorted(set(a))"),
        # With more parts there is no case: the ground truth raises.
        ("a, b = x.split(',')\nreturn a", "x.split(',') → x.split(',', 1)"),
        ("return bool(re.search('^a', x))", "re.search('^a', x) → re.match('^a', x)"),
        ("best = 0\nfor n in xs:\n    if n > best: best = n\nreturn best", "n > best → n >= best"),
    ],
)
def test_a_change_that_never_matters_is_none(body: str, change: str) -> None:
    assert change not in mutants_of(body)


@pytest.mark.parametrize(
    ("body", "change"),
    [
        ("if x <= 0: raise ValueError\nreturn x + 1", "x <= 0 → x <= 1"),
        ("if x >= 10: raise ValueError\nreturn x + 1", "x >= 10 → x >= 9"),
        ("if x <= 0 or x >= 10: raise ValueError\nreturn x + 1", "x >= 10 → x >= 9"),
        ("if not 0 < x < 10: raise ValueError\nreturn x + 1", "0 < x < 10 → 1 < x < 10"),
        ("if not 0 < x < 10: raise ValueError\nreturn x + 1", "0 < x < 10 → 0 < x < 9"),
        ("assert x >= y\nreturn x + 1", "x >= y → x > y"),
        ("assert 0 <= x < 10 and y > 3, x\nreturn x + 1", "0 <= x < 10 → 0 < x < 10"),
    ],
)
def test_limits_of_what_is_refused_have_mutants_that_refuse_more(body: str, change: str) -> None:
    assert change in mutants_of(body), list(mutants_of(body))
