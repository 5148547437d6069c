"""What is run is the code as it was found: nothing in its texts, annotations or patterns is another one."""

from __future__ import annotations

import pytest

from annotator.domain.pair import Pair
from annotator.domain.program import source_of
from annotator.domain.subject import examine


def run(code, call, **more):
    scope = {}
    source = source_of(examine(Pair("p", "q", "query", "f", code, **more)), "")
    exec(compile(source, "candidate", "exec", dont_inherit=True), scope)
    return eval(call, scope)


KINDS = (
    "def kinds():\n    def inner(a: int, b: str): ...\n    return [each.__name__ for each in inner.{}.values()]"
).format("__annotations__")


def test_who_looks_at_annotations_finds_what_they_name():
    assert run(KINDS, "kinds()") == ["int", "str"]
    kind = "def kind(f):\n    from inspect import signature\n    return signature(f).parameters['x'].annotation"
    code = f"{kind}\n\ndef g(x: datetime.date): ...\n\ndef one():\n    return kind(g).__name__"
    assert run(code, "one()") == "date"


@pytest.mark.parametrize("more", [{}, {"file_imports": ("from __future__ import annotations",)}])
def test_annotations_that_were_texts_where_the_code_stood_stay_texts(more):
    before = "" if more else "from __future__ import annotations\n\n"
    code = f"{before}def one():\n    def g(x: Unknown): ...\n    return g.__annotations__['x']"
    assert run(code, "one()", **more) == "Unknown"


def test_annotations_that_nobody_looks_at_need_not_be_there():
    assert run("def one(x: Unknown) -> np.ndarray:\n    return 1", "one(2)") == 1


@pytest.mark.parametrize(
    ("code", "call", "result"),
    [
        ("def a(x):\n\treturn x\n\ndef b(x):\n    return a(x).split('\t')", "b('1\t2')", ["1", "2"]),
        ("    def a():\n        return '''x\n    y\n'''", "a()", "x\n    y\n"),
        ("def a():\n    return '''x\n   \ny'''", "a()", "x\n   \ny"),
        ("def a():\n    return '''\nfrom __future__ import y'''", "a()", "\nfrom __future__ import y"),
        ("from __future__ import (\n    annotations,\n)\n\ndef a():\n    return 1", "a()", 1),
        ("from __future__ import division; import math\n\ndef a():\n    return math.floor(1.5)", "a()", 1),
        ("\tdef a():\n\t\tif True:\n            \treturn 1", "a()", 1),
    ],
)  # fmt: skip
def test_texts_of_python_stay_as_they_were_found(code, call, result):
    assert run(code, call) == result
