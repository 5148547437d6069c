"""Libraries with state that a file sets at import: what computes by it does not stand alone."""

from __future__ import annotations

import pytest

DIVIDES = """
from decimal import Decimal
def f(n):
    if n < 0:
        return ""
    return str(Decimal(1) / Decimal(n))
"""
COUNTS = "def f(n):\n    if n < 0:\n        return 0\n    return n + 1\n"
SETS = [
    "import decimal\ndecimal.getcontext().prec = 5\n",
    "import decimal as d\nif d:\n    d.setcontext(d.Context(prec=5))\n",
    "from decimal import getcontext\nctx = getcontext()\nctx.prec = 5\n",
    "import decimal\n_before = decimal.setcontext(decimal.Context(prec=5))\n",
    "import decimal\ndef _start():\n    decimal.getcontext().prec = 5\n_start()\n",
    "import decimal\ndecimal.DefaultContext.prec = 5\n",
]


@pytest.mark.parametrize("sets", SETS)
def test_what_uses_a_library_whose_state_its_package_sets_is_no_candidate(candidates, sets):
    assert candidates(sets + DIVIDES) == {}
    assert candidates(DIVIDES, __init__=sets) == {}
    assert candidates("from . import start\n" + DIVIDES, start=sets) == {}
    # As a slice too.
    assert candidates("from . import start\nLEAST = 0\n" + DIVIDES.replace("< 0", "< LEAST"), start=sets) == {}


@pytest.mark.parametrize("sets", SETS)
def test_what_uses_nothing_of_it_stays_a_candidate(candidates, sets):
    assert set(candidates(sets + COUNTS)) == {"function"}
    assert set(candidates(COUNTS, __init__=sets)) == {"function"}


@pytest.mark.parametrize(
    "leaves",
    [
        "import decimal\nZERO = decimal.Decimal(0)\n",
        "import decimal\ndef small():\n    with decimal.localcontext() as ctx:\n        ctx.prec = 5\n",
        "import decimal\nif __name__ == '__main__':\n    decimal.getcontext().prec = 5\n",
    ],
)
def test_reading_a_library_at_import_sets_nothing(candidates, leaves):
    assert set(candidates(leaves + DIVIDES)) == {"function"}
    assert set(candidates(DIVIDES, start=leaves)) == {"function"}


def test_what_is_called_at_import_may_read_libraries_that_have_no_state(candidates):
    start = "import math\nTABLE = []\ndef _start():\n    TABLE.append(math.pi)\n_start()\n"
    assert set(candidates(start + "def f(x):\n    return math.floor(x) if x else 0\n")) == {"function"}


def test_what_a_library_gives_by_name_alone_changes_nothing_for_others(candidates):
    start = "import codecs\ndef strict(error):\n    raise error\ncodecs.register_error('mine', strict)\n"
    starts = "def f(data):\n    return data.startswith(codecs.BOM_UTF8) if data else False\n"
    assert set(candidates(start + starts)) == {"function"}


def test_what_is_set_beside_what_a_candidate_may_use_changes_nothing(candidates):
    start = "import os, sys\nos.environ['A'] = 'b'\nsys.path.insert(0, 'lib')\n"
    joins = "import os.path, sys\ndef f(a, b):\n    return os.path.join(a, b) if len(a) < sys.maxsize else a\n"
    assert set(candidates(joins, start=start)) == {"function"}
    assert set(candidates(start + joins)) == {"function"}


def test_an_annotation_that_is_not_evaluated_tells_the_library_too(candidates):
    text = "from __future__ import annotations\nfrom decimal import Decimal\n"
    divides = "def f(n: Decimal) -> Decimal:\n    if not n:\n        return n\n    return 1 / n\n"
    assert set(candidates(text + divides)) == {"function"}
    assert candidates(text + "import decimal\ndecimal.getcontext().prec = 5\n" + divides) == {}


def test_a_file_alone_tells_what_it_sets(analyse):
    assert analyse(DIVIDES)["f"].rejected_by == ""
    found = analyse(SETS[0] + DIVIDES)["f"]
    assert (found.classification, found.rejected_by) == ("DISCARDED", "dependencies")
    assert "decimal" in found.rejection and "line 2" in found.rejection


def test_other_libraries_that_a_file_sets_count_alike(candidates):
    prints = "def f(x):\n    if x:\n        return np.array2string(np.array([x / 3]))\n    return ''\n"
    assert set(candidates("import numpy as np\n" + prints)) == {"function"}
    assert candidates("import numpy as np\nnp.set_printoptions(precision=2)\n" + prints) == {}
