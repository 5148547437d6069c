"""From the text of a type annotation, or of a type in a docstring, to a shape."""

from __future__ import annotations

import ast
import re

from pbt_generator.domain.inputs.shapes import (
    NUMBER,
    AnyShape,
    BoolShape,
    BytesShape,
    FloatShape,
    IntShape,
    LibraryShape,
    ListShape,
    LiteralShape,
    MapShape,
    NoneShape,
    OpaqueShape,
    Scalar,
    SetShape,
    Shape,
    TextShape,
    TupleShape,
    UnionShape,
    VariadicTupleShape,
    optional,
    union,
)
from pbt_generator.domain.oracle.syntax import NO_LITERAL, last_name

_ANY = AnyShape()
_HASHABLE: Shape = UnionShape((TextShape(), IntShape()))

_PLAIN: dict[str, Shape] = {
    "str": TextShape(),
    "string": TextShape(),
    "text": TextShape(),
    "AnyStr": TextShape(),
    "LiteralString": TextShape(),
    "unicode": TextShape(),
    "char": TextShape(length=1),
    "character": TextShape(length=1),
    "int": IntShape(),
    "integer": IntShape(),
    "long": IntShape(),
    "SupportsIndex": IntShape(),
    "SupportsInt": IntShape(),
    "float": FloatShape(),
    "double": FloatShape(),
    "SupportsFloat": FloatShape(),
    "number": NUMBER,
    "numeric": NUMBER,
    "scalar": NUMBER,
    "Number": NUMBER,
    "Real": NUMBER,
    "Rational": LibraryShape("fraction"),
    "Integral": IntShape(),
    "complex": LibraryShape("complex"),
    "bool": BoolShape(),
    "boolean": BoolShape(),
    "bytes": BytesShape(),
    "bytearray": BytesShape(),
    "bytestring": BytesShape(),
    "None": NoneShape(),
    "NoneType": NoneShape(),
    "Any": _ANY,
    "any": _ANY,
    "object": _ANY,
    "Hashable": _HASHABLE,
    "Decimal": LibraryShape("decimal"),
    "Fraction": LibraryShape("fraction"),
    "date": LibraryShape("date"),
    "datetime": LibraryShape("datetime"),
    "time": LibraryShape("time"),
    "timedelta": LibraryShape("timedelta"),
    "Path": LibraryShape("path"),
    "PurePath": LibraryShape("path"),
    "PosixPath": LibraryShape("path"),
    "PathLike": LibraryShape("path"),
    "StrPath": TextShape(formats=("path",)),
    "range": LibraryShape("range"),
    "ndarray": LibraryShape("ndarray", dimensions=0),
    "NDArray": LibraryShape("ndarray", dimensions=0),
    "array_like": LibraryShape("ndarray", dimensions=0),
    "array-like": LibraryShape("ndarray", dimensions=0),
    "ArrayLike": LibraryShape("ndarray", dimensions=0),
    "numpy": LibraryShape("ndarray", dimensions=0),
    "DataFrame": LibraryShape("frame"),
    "dataframe": LibraryShape("frame"),
    "Series": LibraryShape("series"),
    "Timestamp": LibraryShape("datetime"),
    "Timedelta": LibraryShape("timedelta"),
    "DatetimeIndex": LibraryShape("index", dtype="date"),
    "Index": LibraryShape("index"),
    "int32": IntShape(),
    "int64": IntShape(),
    "float32": FloatShape(),
    "float64": FloatShape(),
    "url": TextShape(formats=("url",)),
    "path": TextShape(formats=("path",)),
    "json": _ANY,
    "JSON": _ANY,
    "list": ListShape(_ANY),
    "array": ListShape(_ANY),
    "sequence": ListShape(_ANY),
    "iterable": ListShape(_ANY),
    "dict": MapShape(TextShape(), _ANY),
    "dictionary": MapShape(TextShape(), _ANY),
    "mapping": MapShape(TextShape(), _ANY),
    "tuple": VariadicTupleShape(_ANY),
    "set": SetShape(_HASHABLE),
    "frozenset": SetShape(_HASHABLE, frozen=True),
    "callable": OpaqueShape("callable"),
    "function": OpaqueShape("callable"),
    "Callable": OpaqueShape("callable"),
}
_SEQUENCES = {
    "List", "list", "Sequence", "MutableSequence", "Iterable", "Iterator", "Collection", "Container", "Generator",
    "deque", "Deque", "Reversible", "KeysView", "ValuesView", "UserList", "array",
}  # fmt: skip
_SETS = {"Set", "set", "AbstractSet", "MutableSet"}
_MAPS = {
    "Dict", "dict", "Mapping", "MutableMapping", "OrderedDict", "DefaultDict", "defaultdict", "ChainMap", "UserDict",
}  # fmt: skip
_TRANSPARENT = {"Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "Unpack"}


def shape_of_annotation(text: str) -> Shape:
    """Read an annotation.

    Args:
        text: Source text, for example `dict[str, list[int] | None]`; may be quoted or empty.

    Returns:
        Its shape; `AnyShape` for what is empty or unknown, `OpaqueShape` for a class that data cannot make.

    Example:
        >>> shape_of_annotation("Optional[int]")
        UnionShape(options=(IntShape(low=None, high=None, hints=()), NoneShape()), checked=False, guessed=False)
    """
    text = text.strip()
    if not text:
        return _ANY
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return shape_of_words(text)
    return _shape(tree)


def _shape(node: ast.expr) -> Shape:
    match node:
        case ast.Constant(value=None):
            return NoneShape()
        case ast.Constant(value=str(text)):
            return shape_of_annotation(text)
        case ast.Name(id=name):
            return _named(name)
        case ast.Attribute(attr=name):
            return _named(name)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return union(_shape(left), _shape(right))
        case ast.Subscript(value=value, slice=index):
            return _generic(last_name(value), _arguments(index))
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return TupleShape(tuple(_shape(item) for item in items))
        case _:
            return _ANY


def _arguments(index: ast.expr) -> list[ast.expr]:
    return list(index.elts) if isinstance(index, ast.Tuple) else [index]


def _named(name: str) -> Shape:
    if name in _PLAIN:
        return _PLAIN[name]
    if name in _SEQUENCES:
        return ListShape(_ANY)
    if name in _MAPS:
        return MapShape(TextShape(), _ANY)
    if name in _SETS:
        return SetShape(_HASHABLE)
    if name == "FrozenSet":
        return SetShape(_HASHABLE, frozen=True)
    if name == "Tuple":
        return VariadicTupleShape(_ANY)
    # A type variable says nothing; a class of the project cannot be made from data, duck typing may still do.
    return _ANY if len(name) <= 2 or name.endswith(("_T", "_co", "T")) else OpaqueShape(name)


def _generic(name: str, arguments: list[ast.expr]) -> Shape:
    if name == "Optional":
        return optional(_shape(arguments[0]))
    if name == "Union":
        return union(*(_shape(argument) for argument in arguments))
    if name == "Literal":
        return LiteralShape(_literals(arguments))
    if name in _TRANSPARENT:
        return _shape(arguments[0])
    if name in {"Tuple", "tuple"}:
        return _tuple(arguments)
    if name in _SEQUENCES:
        return ListShape(_shape(arguments[0]))
    if name in _SETS or name == "FrozenSet" or name == "frozenset":
        return SetShape(_shape(arguments[0]), frozen=name.lower() == "frozenset")
    if name == "Counter":
        return MapShape(_shape(arguments[0]), IntShape(low=0))
    if name in _MAPS and len(arguments) == 2:
        return MapShape(_key(_shape(arguments[0])), _shape(arguments[1]))
    if name in {"ItemsView", "Items"} and len(arguments) == 2:
        return ListShape(TupleShape((_shape(arguments[0]), _shape(arguments[1]))))
    if name in {"ndarray", "NDArray"}:
        return LibraryShape("ndarray", dtype=_dtype(ast.unparse(arguments[-1])), dimensions=0)
    if name == "type" or name == "Type":
        return OpaqueShape("type")
    return _named(name)


def _key(shape: Shape) -> Shape:
    return TextShape() if isinstance(shape, AnyShape) else shape


def _tuple(arguments: list[ast.expr]) -> Shape:
    if len(arguments) == 2 and isinstance(arguments[1], ast.Constant) and arguments[1].value is ...:
        return VariadicTupleShape(_shape(arguments[0]))
    if len(arguments) == 1 and isinstance(arguments[0], ast.Tuple) and not arguments[0].elts:
        return TupleShape(())
    return TupleShape(tuple(_shape(argument) for argument in arguments))


def _literals(arguments: list[ast.expr]) -> tuple[Scalar, ...]:
    values: list[Scalar] = []
    for argument in arguments:
        try:
            value: object = ast.literal_eval(argument)
        except NO_LITERAL:
            continue
        if value is None or isinstance(value, (str, int, float, bool, bytes)):
            values.append(value)
    return tuple(values)


def _dtype(text: str) -> str:
    lowered = text.lower()
    for word, dtype in (("bool", "bool"), ("int", "int"), ("str", "text"), ("datetime", "date")):
        if word in lowered:
            return dtype
    return "float"


_LIST_OF = re.compile(r"^(?:a |an |the )?(list|sequence|iterable|array|collection)s? (?:of|containing) (.+)$", re.I)
_DICT_OF = re.compile(r"^(?:a |the )?(?:dict|dictionary|mapping|map) (?:of|from) (\w+) (?:to|->|:) (.+)$", re.I)
_TUPLE_OF = re.compile(r"^(?:a |the )?tuple of (?:(two|three|four|2|3|4) )?(.+)$", re.I)
_SET_OF = re.compile(r"^(?:a |the )?set of (.+)$", re.I)
_COUNT = {"two": 2, "three": 3, "four": 4, "2": 2, "3": 3, "4": 4}
_NOISE = re.compile(
    r",?\s*(optional|default(s)?\b.*|required|keyword[- ]only|positional)\b.*$|\bshape\b.*$|\(.*\)|:.*$", re.I
)


def shape_of_words(text: str) -> Shape:
    """Read a type written in words, as docstrings do: "list of str", "int or None", "{'a', 'b'}".

    Example:
        >>> shape_of_words("list of int, optional")
        ListShape(element=IntShape(low=None, high=None, hints=()), min_size=0, max_size=6)
    """
    text = text.strip().strip("`*").replace(":class:", "").replace(":obj:", "").replace("`", "")
    if text.startswith("{") and "}" in text:
        choices = _choices(text[: text.index("}") + 1])
        if choices:
            return LiteralShape(choices)
    text = _NOISE.sub("", text).strip().rstrip(".,;")
    if not text:
        return _ANY
    parts = re.split(r"\s+or\s+|\s*\|\s*|\s*/\s*", text) if "[" not in text else [text]
    if len(parts) > 1:
        return union(*(shape_of_words(part) for part in parts if part))
    for pattern, build in ((_LIST_OF, ListShape), (_SET_OF, SetShape)):
        found = pattern.match(text)
        if found:
            return build(shape_of_words(_singular(found.groups()[-1])))
    found = _DICT_OF.match(text)
    if found:
        return MapShape(_key(shape_of_words(_singular(found[1]))), shape_of_words(_singular(found[2])))
    found = _TUPLE_OF.match(text)
    if found:
        element = shape_of_words(_singular(found[2]))
        return TupleShape((element,) * _COUNT[found[1].lower()]) if found[1] else VariadicTupleShape(element)
    word = text.split(".")[-1] if re.fullmatch(r"[\w.\-]+", text) else text.lower()
    if word in _PLAIN:
        return _PLAIN[word]
    if re.fullmatch(r"[A-Za-z_][\w.]*\[.*\]", text):
        try:
            return _shape(ast.parse(text, mode="eval").body)
        except (SyntaxError, ValueError):
            return _ANY
    return _PLAIN.get(_singular(word.split()[-1])) or _PLAIN.get(word.split()[0]) or _ANY if word.split() else _ANY


def _singular(word: str) -> str:
    word = word.strip()
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def _choices(text: str) -> tuple[Scalar, ...]:
    try:
        value: object = ast.literal_eval(text.replace("{", "[").replace("}", "]"))
    except NO_LITERAL:
        return ()
    if not isinstance(value, list):
        return ()
    items: list[object] = list(value)  # pyright: ignore[reportUnknownArgumentType]
    return tuple(item for item in items if item is None or isinstance(item, (str, int, float, bool)))
