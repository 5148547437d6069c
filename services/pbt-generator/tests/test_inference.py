"""What is known of a function's inputs before it is run."""

from __future__ import annotations

import pytest

from pbt_generator.domain.inputs.inference.annotations import shape_of_annotation, shape_of_words
from pbt_generator.domain.inputs.inference.docstrings import example_calls, read_docstring
from pbt_generator.domain.inputs.inference.signature import input_shape, read_program
from pbt_generator.domain.inputs.shapes import (
    AnyShape,
    BoolShape,
    FloatShape,
    IntShape,
    LibraryShape,
    ListShape,
    LiteralShape,
    MapShape,
    NoneShape,
    OpaqueShape,
    RecordShape,
    TextShape,
    TupleShape,
    UnionShape,
    VariadicTupleShape,
)


def shapes(code: str, *imports: str):
    name = code.split("def ")[1].split("(")[0]
    return {parameter.name: parameter.shape for parameter in input_shape(read_program(code, imports, name)).parameters}


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("int", IntShape()),
        ("'str'", TextShape()),
        ("Optional[float]", UnionShape((FloatShape(), NoneShape()))),
        ("int | None", UnionShape((IntShape(), NoneShape()))),
        ("list[dict[str, int]]", ListShape(MapShape(TextShape(), IntShape()))),
        ("tuple[int, ...]", VariadicTupleShape(IntShape())),
        ("typing.Tuple[int, str]", TupleShape((IntShape(), TextShape()))),
        ("Literal['a', 2]", LiteralShape(("a", 2))),
        ("datetime.date", LibraryShape("date")),
        ("pd.DataFrame", LibraryShape("frame")),
        ("MyOwnClass", OpaqueShape("MyOwnClass")),
        ("T", AnyShape()),
        ("not ( a type", AnyShape()),
    ],
)
def test_annotations(text: str, shape: object) -> None:
    assert shape_of_annotation(text) == shape


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("list of str, optional", ListShape(TextShape())),
        ("int or None", UnionShape((IntShape(), NoneShape()))),
        ("{'left', 'right'}, default 'left'", LiteralShape(("left", "right"))),
        ("dict of str to int", MapShape(TextShape(), IntShape())),
        ("tuple of two ints", TupleShape((IntShape(), IntShape()))),
        ("ndarray, shape (n,)", LibraryShape("ndarray", dimensions=0)),
        ("bool", BoolShape()),
        ("whatever fits", AnyShape()),
    ],
)
def test_types_in_words(text: str, shape: object) -> None:
    assert shape_of_words(text) == shape


def test_docstring_styles() -> None:
    google = read_docstring(
        "Do.\n\nArgs:\n    a (int): First.\n    b (str, optional): Second\n        goes on.\n\nReturns:\n    x"
    )
    assert google.types == {"a": "int", "b": "str, optional"}
    assert google.words["b"] == "Second goes on."
    numpy = read_docstring("Do.\n\nParameters\n----------\nx, y : float\n    Both.\n\nReturns\n-------\nfloat\n")
    assert numpy.types == {"x": "float", "y": "float"}
    sphinx = read_docstring("Do.\n\n:param int a: First.\n:param b: Second.\n:type b: list of str\n")
    assert sphinx.types == {"a": "int", "b": "list of str"}


def test_examples_give_inputs_even_outside_doctests() -> None:
    docs = read_docstring('Read.\n\n>>> x = [1, 2]\n>>> f(x, k=3)\n5\n\nAlso f("1h", 2) -> 3600.')
    assert example_calls(docs.calls, "f") == [([[1, 2]], {"k": 3})]
    # A task bears a public name; its docstring has the private one.
    assert example_calls(("print(_f([1, 2], k=3))", "ff(1)"), "f") == [([[1, 2]], {"k": 3})]
    assert (["1h", 2], {}) in example_calls(docs.mentioned, "f")


def test_use_of_a_record_gives_its_keys() -> None:
    found = shapes(
        "def f(rows):\n"
        "    out = []\n"
        "    for row in rows or []:\n"
        "        name = (row.get('name') or '').strip()\n"
        "        for part in name.split(','):\n"
        "            if part.startswith('x-'):\n"
        "                out.append((part, row['size'] + 1))\n"
        "    return out\n"
    )
    rows = found["rows"]
    assert isinstance(rows, UnionShape) and NoneShape() in rows.options
    listed = rows.options[0]
    assert isinstance(listed, ListShape) and isinstance(listed.element, RecordShape)
    fields = {entry.name: entry for entry in listed.element.fields}
    assert set(fields) == {"name", "size"}
    assert not fields["name"].required and fields["size"].required
    texts = [option for option in fields["name"].shape.options if isinstance(option, TextShape)]
    assert set(texts[0].tokens) >= {",", "x-"}


def test_a_name_that_changes_its_type_is_two_values() -> None:
    found = shapes("def f(x):\n    x = x.split(';')\n    return [int(part) for part in x if len(part) > 3]\n")
    assert isinstance(found["x"], TextShape)
    assert found["x"].tokens == (";",)
    assert "integer" in found["x"].formats


def test_isinstance_makes_alternatives_and_another_kind() -> None:
    found = shapes("def f(x: str):\n    if isinstance(x, list):\n        return len(x)\n    return x.upper()\n")
    kinds = {type(option) for option in found["x"].options}
    assert {TextShape, ListShape} <= kinds


def test_none_is_tried_where_the_body_asks_for_it_whatever_the_annotation_says() -> None:
    found = shapes("def f(n: int):\n    if n is None:\n        return 0\n    return n + 1\n")
    assert NoneShape() in found["n"].options


def test_regular_expressions_and_date_formats() -> None:
    found = shapes(
        "def f(a, b):\n    if re.match(r'\\d+-x', a):\n        return 1\n    return datetime.strptime(b, '%Y/%m').year\n",  # noqa: E501
        "import re",
        "from datetime import datetime",
    )
    assert found["a"].patterns == (r"\d+-x",)
    assert "date:%Y/%m" in found["b"].formats


def test_arrays_by_their_use() -> None:
    found = shapes(
        "def f(boxes, scores):\n    x = boxes[:, 3]\n    return np.sum(x * scores) / boxes.shape[0]\n",
        "import numpy as np",
    )
    assert isinstance(found["boxes"], LibraryShape)
    assert found["boxes"].dimensions == 2 and found["boxes"].sizes == (-1, 4)


def test_recursion_ends() -> None:
    found = shapes("def f(x):\n    if isinstance(x, list):\n        return [f(y) for y in x]\n    return x * 2\n")
    assert any(isinstance(option, ListShape) for option in found["x"].options)


def test_names_speak_last() -> None:
    found = shapes("def f(url, is_big, items, n):\n    return g(url, is_big, items, n)\n")
    assert "url" in found["url"].formats
    assert found["is_big"] == BoolShape()
    assert isinstance(found["items"], ListShape)
    assert isinstance(found["n"], IntShape)
