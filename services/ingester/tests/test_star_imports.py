"""A star import takes the place of what stands above it, and of nothing below it."""

from __future__ import annotations

import textwrap

import pytest

OTHERS = {
    "fast": "LIMIT = 99\ndef aux(x):\n    return 55\ndef sqrt(x):\n    return 55\nclass Held:\n    size = 55\n",
    "listed": "__all__ = ['LIMIT']\nLIMIT = 99\ndef aux(x):\n    return 55\n",
    "through": "from .fast import *\n",
    "plain": "def aux(x):\n    return 1\n",
    "wild": "__all__ = [each for each in globals()]\nfrom .fast import *\n",
    "apart": "OTHER = 3\n",
}
AUX = "def aux(x):\n    return x + 1\n"
USES = "def f(x):\n    return {} if x > 1 else 0\n"
HIDDEN = {
    "a function": AUX + "from .fast import *\n" + USES.format("aux(x)"),
    "a function, at the end": AUX + USES.format("aux(x)") + "from .fast import *\n",
    "a constant": "LIMIT = 1\nfrom .fast import *\n" + USES.format("LIMIT"),
    "a constant, listed": "LIMIT = 1\nfrom .listed import *\n" + USES.format("LIMIT"),
    "a class": "class Held:\n    size = 3\nfrom .fast import *\n" + USES.format("Held.size"),
    "through another file": "LIMIT = 1\nfrom .through import *\n" + USES.format("LIMIT"),
    "what is not known": "LIMIT = 1\nfrom .wild import *\n" + USES.format("LIMIT"),
    "under a condition": AUX + "try:\n    from .fast import *\nexcept ImportError:\n    pass\n" + USES.format("aux(x)"),
    "an import from the package": "from .plain import aux\nfrom .fast import *\n" + USES.format("aux(x)"),
    "an import from a library": "from math import sqrt\nfrom .fast import *\n" + USES.format("sqrt(x)"),
    "an import, by a library": "from math import sqrt\nfrom cmath import *\n" + USES.format("sqrt(x)"),
    "an import, by what is no library of ours": "import math\nfrom gtk import *\n" + USES.format("math.sqrt(x)"),
    "a function, by a library": "def sqrt(x):\n    return 1\nfrom math import *\n" + USES.format("sqrt(x)"),
    "a default": "LIMIT = 1\nfrom .fast import *\ndef f(x, n=LIMIT):\n    return n if x > 1 else 0\n",
    "itself": "def aux(x):\n    return aux(x - 1) if x > 1 else 0\nfrom .fast import *\n" + USES.format("aux(x)"),
    "a helper of a constant": AUX + "from .fast import *\nLIMIT = aux(3)\n" + USES.format("LIMIT + 1"),
    "in a method": "LIMIT = 1\nfrom .fast import *\nclass Held:\n    def f(self, x):\n        return x or LIMIT\n",
}
STANDING = {
    "above": ("from .fast import *\n" + AUX.replace("aux", "more") + USES.format("more(x)"), 4),
    "without the name": (AUX + "from .apart import *\n" + USES.format("aux(x)"), 4),
    "not in the list": (AUX + "from .listed import *\n" + USES.format("aux(x)"), 4),
    "the same": ("from math import sqrt\nfrom math import *\n" + USES.format("sqrt(x + 1)"), 2),
    "an attribute": ("import math\nfrom cmath import *\n" + USES.format("math.sqrt(x + 1)"), 2),
    "read before": ("ONE = 1\nMORE = ONE + 1\nfrom .late import *\n" + USES.format("MORE"), 2),
    "a default before": ("ONE = 1\ndef f(x, n=ONE):\n    return n + x if x > 1 else 0\nfrom .late import *\n", 4),
}


@pytest.mark.parametrize("case", HIDDEN)
def test_what_a_star_import_may_bring_anew_is_not_taken_from_above_it(candidates, case):
    assert candidates(textwrap.dedent(HIDDEN[case]), **OTHERS) == {}


@pytest.mark.parametrize("case", STANDING)
def test_what_no_star_import_brings_anew_stands(candidates, ran, case):
    text, given = STANDING[case]
    (found,) = candidates(text, **OTHERS, late="ONE = 9\n").values()
    assert ran(found)["f"](3) == given


def test_a_function_of_the_module_is_itself_where_a_star_import_brings_no_such_name(candidates, ran):
    text = "def f(x):\n    return f(x - 1) + 1 if x > 1 else 0\nfrom .{} import *\n"
    (found,) = candidates(text.format("fast"), **OTHERS).values()
    assert ran(found)["f"](3) == 2
    assert candidates(text.format("again"), again="def f(x):\n    return 7\n") == {}
