"""From the graph of uses to shapes."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from pbt_generator.domain.inputs.inference.facts import STRONG, Var
from pbt_generator.domain.inputs.inference.refining import compatible, refine
from pbt_generator.domain.inputs.inference.usage import UsageReader
from pbt_generator.domain.inputs.inference.usage_flow import CONTAINERS, flow_back
from pbt_generator.domain.inputs.inference.usage_literals import imported
from pbt_generator.domain.inputs.shapes import (
    NUMBER,
    AnyShape,
    BoolShape,
    BytesShape,
    Field,
    FloatShape,
    IntShape,
    LibraryShape,
    ListShape,
    MapShape,
    NoneShape,
    OpaqueShape,
    RecordShape,
    Scalar,
    SetShape,
    Shape,
    TextShape,
    TupleShape,
    UnionShape,
    VariadicTupleShape,
    one_of,
    optional,
    options_of,
    union,
)
from pbt_generator.domain.oracle.syntax import FunctionNode

_INT_FORMATS: dict[str, tuple[int, int]] = {
    "year": (1900, 2100), "month": (1, 12), "day": (1, 28), "hour": (0, 23), "minute": (0, 59), "small": (0, 8),
    "positive": (1, 100), "codepoint": (32, 1000), "timestamp": (0, 2_000_000_000),
}  # fmt: skip
_LIBRARY_KINDS = ("datetime", "date", "time", "timedelta", "decimal", "fraction", "path", "complex", "range")
_MAX_DEPTH = 6
_NO_KEYS = (AnyShape, BoolShape, FloatShape, NoneShape, ListShape, MapShape, RecordShape, SetShape, OpaqueShape)


def infer_shapes(function: FunctionNode, modules: dict[str, str]) -> dict[str, Shape]:
    """The shape of every parameter as its uses show it.

    Args:
        function: The function's syntax tree.
        modules: Names bound by imports, to the dotted name of what they stand for.
    """
    parameters = UsageReader(modules).read(function)
    flow_back(list(parameters.values()))
    return {name: _shape(node.find(), _Way()) for name, node in parameters.items()}


def modules_of(imports: tuple[str, ...]) -> dict[str, str]:
    """Names that import statements bind, to the dotted name of what they stand for."""
    names: dict[str, str] = {}
    for text in imports:
        try:
            tree = ast.parse(text.strip())
        except SyntaxError:
            continue
        for node in tree.body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names.update(imported(node))
    return names


@dataclass(frozen=True)
class _Way:
    """How deep inside a value a shape is wanted, and inside which nodes."""

    depth: int = 0
    open: tuple[int, ...] = ()


def _shape(node: Var, way: _Way) -> Shape:
    node = node.find()
    # A function that calls itself on a part of its argument has a shape without end.
    if way.depth > _MAX_DEPTH or way.open.count(node.number) >= 2:
        return AnyShape()
    way = _Way(way.depth + 1, (*way.open, node.number))
    base = _base_shape(node, way)
    if way.depth > 1 and isinstance(base, UnionShape) and base.guessed:
        # Deep inside a value running cannot choose; the likeliest stands.
        base = base.options[0]
    options: list[Shape] = []
    for kind, alternative in node.alternatives:
        found = _alternative(kind, alternative.find(), way)
        if found not in options:
            options.append(found)
    if options:
        if not isinstance(base, (AnyShape, OpaqueShape)):
            # What is asked after the test is asked of the alternative that it left.
            same = [option for option in options if compatible(option, base)]
            options = [refine(option, base) if option in same else option for option in options]
            if not same:
                options.append(base)
        base = UnionShape((*options, *_other_kinds(options)), checked=True)
    return optional(base) if node.nullable and not isinstance(base, (AnyShape, NoneShape)) else base


def _other_kinds(options: list[Shape]) -> list[Shape]:
    """Two kinds that none of the options is: what a program does that asks `isinstance` and gets no.

    A text is the one that most things which are done to lists can be done to as well.
    """
    kinds = {type(option) for option in options}
    others: list[Shape] = [
        other
        for other in (IntShape(), TextShape(), NoneShape(), ListShape(IntShape()))
        if type(other) not in kinds
        and not (isinstance(other, IntShape) and kinds & {FloatShape, BoolShape, UnionShape})
    ]
    return others[:2]


def _alternative(kind: str, node: Var, way: _Way) -> Shape:
    if kind == "none":
        return NoneShape()
    if kind not in node.kinds:
        node.add(kind, 2 * STRONG)
    else:
        node.kinds[kind] += 2 * STRONG
    return _base_shape(node, way)


def _base_shape(node: Var, way: _Way) -> Shape:
    kinds = node.kinds
    scores = {kind: kinds.get(kind, 0) for kind in (*CONTAINERS, *_LIBRARY_KINDS)}
    if node.fields:
        scores["map"] += 2 + len([name for name in node.fields if isinstance(name, str)])
    for kind in ("columns", "loc", "iloc"):
        scores["frame"] += 3 * bool(kinds.get(f"object.{kind}"))
    if scores["frame"] > 1 and scores["frame"] + 2 >= scores["map"]:
        scores["frame"] += scores["map"]
    if node.dims:
        scores["ndarray"] += 2
    if scores["text"] and scores["list"] == 0 and node.fields and scores["text"] > scores["map"]:
        scores["map"] = 0
    number = max(kinds.get("int", 0), kinds.get("float", 0), kinds.get("number", 0))
    best = max(scores, key=lambda kind: scores[kind])
    if scores[best] == 0 or scores[best] <= 1 < number:
        best = ""
    if best and scores[best] >= max(number - 2, 1):
        return _container(best, node, way)
    if number:
        return _number(node)
    return _vague(node, way)


def _container(kind: str, node: Var, way: _Way) -> Shape:
    match kind:
        case "text":
            return text_shape(node, way)
        case "bytes":
            return BytesShape(tuple(value for value in node.constants if isinstance(value, bytes)))
        case "map":
            return _map(node, way)
        case "list" | "tuple" | "tuple*":
            return _sequence(node, way, kind)
        case "set":
            return SetShape(_element(node, way))
        case "frame":
            return LibraryShape("frame", columns=_columns(node))
        case "series":
            return LibraryShape("series", dtype="text" if "str" in "".join(node.kinds) else "float")
        case "ndarray":
            sizes = (
                tuple(node.axes.get(axis, -1) for axis in range(max(node.axes, default=-1) + 1))
                if -1 not in node.axes
                else ()
            )
            known = max(node.dims, default=0)
            dimensions = (known,) if known else (1, 2)
            array = one_of(*(LibraryShape("ndarray", dimensions=count, sizes=sizes) for count in dimensions))
            # Only what numpy alone does with it tells an array from a list of numbers.
            return array if node.kinds.get("array.own") else one_of(array, ListShape(FloatShape()))
        case _:
            return LibraryShape(kind, aware=kind == "datetime" and bool(node.kinds.get("datetime.aware")))


def text_shape(node: Var, way: _Way | None = None) -> TextShape:
    """A text with everything that is asked of it."""
    hints = tuple(dict.fromkeys(value for value in _constants(node) if isinstance(value, str)))
    inner = [part.find() for part in (node.element, node.value, *node.items.values()) if part is not None]
    letters = [value for part in inner for value in part.constants if isinstance(value, str)]
    tokens_inside = [token for part in inner for token in part.tokens]
    formats = tuple(dict.fromkeys((*node.formats, *(name for part in inner for name in part.formats))))
    optional_fields = tuple(name for name in node.optional_fields if isinstance(name, str) and name not in node.fields)
    tokens = tuple(dict.fromkeys((*node.tokens, *letters, *tokens_inside, *sorted(optional_fields))))
    length = 1 if "char" in node.formats else None
    if any(name.startswith("date:") for name in formats):
        formats = tuple(name for name in formats if name != "date")
        # The format itself is no text to read with it.
        hints = tuple(hint for hint in hints if "%" not in hint)
        tokens = tuple(token for token in tokens if "%" not in token)
    held = _content(node)
    content = _shape(held, way) if held is not None and way is not None else None
    return TextShape(hints, tokens, tuple(node.patterns), formats, length, content)


def _content(node: Var, depth: int = 0) -> Var | None:
    """The node of what a text, or a text made from it, holds as JSON."""
    if node.content is not None:
        return node.content.find()
    if depth < 8:
        for later in node.drawn_by:
            inner = later.find()
            joined = any(source.find() is node for source in inner.sources)
            if inner is not node and (joined or inner.origin_mode in {"same", "part"}):
                found = _content(inner, depth + 1)
                if found is not None:
                    return found
    return None


def _constants(node: Var, depth: int = 0) -> list[Scalar]:
    """The constants that a value is compared with, or that it may be."""
    found = list(node.constants)
    if depth < 3:
        for source in node.sources:
            found.extend(_constants(source.find(), depth + 1))
    return found


def _columns(node: Var) -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, str]] = []
    for name in sorted({str(name) for name in node.fields} | node.columns_read):
        entry = node.fields.get(name)
        kinds = entry.find().kinds if entry is not None else {}
        dtype = (
            "text"
            if kinds.get("text", 0) >= 2 or kinds.get("object.str")
            else "date"
            if kinds.get("object.dt")
            else "float"
        )
        found.append((name, dtype))
    return tuple(found)


def _key(node: Var, way: _Way) -> Shape:
    """The shape of a map's keys: what is hashable; what is searched for pieces is a text then, and no list."""
    found = _shape(node.key, way) if node.key is not None else TextShape()
    known = [option for option in options_of(found) if not isinstance(option, _NO_KEYS)]
    return union(*known) if known else TextShape()


def _map(node: Var, way: _Way) -> Shape:
    key = _key(node, way)
    value = _shape(node.value, way) if node.value is not None else AnyShape()
    contained = [name for name in node.optional_fields if name not in node.fields]
    if not node.fields and not contained:
        return MapShape(key, value)
    fields = [
        Field(name, _shape(entry, way), required=name not in node.optional_fields)
        for name, entry in node.fields.items()
    ]
    fields += [Field(name, value, required=False) for name in sorted(contained, key=str)]
    extra = (
        MapShape(key, value) if node.value is not None or node.key is not None or node.kinds.get("iterable") else None
    )
    return RecordShape(tuple(fields), extra)


def _element(node: Var, way: _Way) -> Shape:
    return _shape(node.element, way) if node.element is not None else AnyShape()


def _sequence(node: Var, way: _Way, kind: str = "list") -> Shape:
    """A list or tuple: of known length where it is unpacked or read at fixed places of different kinds."""
    items = {place: _shape(item, way) for place, item in node.items.items()}
    element = _element(node, way)
    if node.unpack and not node.sizes:
        size = max(node.unpack)
        exact = TupleShape(tuple(items.get(place, element) for place in range(size)))
        known = list(dict.fromkeys(shape for shape in items.values() if not isinstance(shape, AnyShape)))
        loose = VariadicTupleShape(union(*known) if known else element)
        return UnionShape((exact, loose), checked=True) if node.unpack_caught else exact
    if items:
        known = list(dict.fromkeys(shape for shape in items.values() if not isinstance(shape, AnyShape)))
        unknown = any(isinstance(shape, AnyShape) for shape in items.values())
        size = max(items) + 1
        kinds = {type(shape) for shape in known}
        # One place unknown beside one that is a container: they are hardly of one kind.
        mixed = unknown and bool(kinds & {MapShape, RecordShape, ListShape})
        if len(kinds) > 1 or mixed or (kind == "tuple" and isinstance(element, AnyShape)):
            exact = TupleShape(tuple(items.get(place, element) for place in range(size)))
            # Where the body asks how long it is, other lengths come too.
            loose = kind == "tuple" and (node.sizes or node.kinds.get("sized"))
            return UnionShape((exact, VariadicTupleShape(union(*known))), checked=True) if loose and known else exact
        merged = known[0] if known else element
        if not isinstance(element, AnyShape):
            merged = element
        checked = [shape for shape in known if isinstance(shape, UnionShape) and shape.checked]
        if checked and not isinstance(merged, UnionShape):
            # The body asks one of the items what it is: members of each kind are worth drawing.
            merged = union(merged, *checked)
        built: Shape = ListShape(merged, min_size=min(size, 4), max_size=max(6, size + 2))
        return VariadicTupleShape(merged) if kind == "tuple" else built
    if kind in {"tuple", "tuple*"} and not node.kinds.get("list"):
        return VariadicTupleShape(element)
    return ListShape(element)


def _number(node: Var) -> Shape:
    low = high = None
    for name, (bottom, top) in _INT_FORMATS.items():
        if name in node.formats:
            low, high = bottom, top
    ints = tuple(value for value in node.constants if isinstance(value, int) and not isinstance(value, bool))
    floats = tuple(float(value) for value in node.constants if isinstance(value, float))
    kinds = node.kinds
    if kinds.get("float", 0) > kinds.get("int", 0):
        return FloatShape(hints=floats)
    if kinds.get("int", 0) >= max(kinds.get("number", 0), 1) or low is not None:
        return IntShape(low, high, ints)
    return UnionShape((IntShape(hints=ints), FloatShape(hints=floats or tuple(map(float, ints)))))


def _vague(node: Var, way: _Way) -> Shape:
    """A value of which no use is sure: iterated, measured, compared or handed on."""
    kinds = node.kinds
    texts = [value for value in node.constants if isinstance(value, str)]
    numbers = [value for value in node.constants if isinstance(value, (int, float)) and not isinstance(value, bool)]
    if node.unpack or node.items:
        return _sequence(node, way)
    element = _element(node, way)
    if kinds.get("iterable") or kinds.get("sequence") or kinds.get("sliceable"):
        inner = node.element.find() if node.element is not None else None
        chars = inner is not None and any(isinstance(value, str) and len(value) == 1 for value in inner.constants)
        if chars and inner is not None and all(isinstance(value, str) and len(value) <= 1 for value in inner.constants):
            text = text_shape(node)
            letters = tuple(str(value) for value in inner.constants)
            formats = tuple(dict.fromkeys((*text.formats, *inner.formats)))
            return one_of(TextShape(text.hints, (*text.tokens, *letters), text.patterns, formats), ListShape(element))
        if isinstance(element, TextShape):
            merged = TextShape(tokens=element.tokens, formats=element.formats)
            return one_of(ListShape(element), merged)
        if isinstance(element, AnyShape):
            return one_of(ListShape(AnyShape()), text_shape(node))
        return ListShape(element)
    if kinds.get("indexable") or kinds.get("container") or kinds.get("contains.text"):
        if node.optional_fields or kinds.get("contains.text"):
            return one_of(text_shape(node), _map(node, way), ListShape(text_shape(node)))
        if node.value is not None or node.key is not None:
            value = _shape(node.value, way) if node.value is not None else AnyShape()
            return one_of(MapShape(_key(node, way), value), ListShape(element))
        return one_of(ListShape(AnyShape()), MapShape(TextShape(), AnyShape()), TextShape())
    if texts:
        return TextShape(hints=tuple(texts), tokens=tuple(node.tokens))
    if numbers:
        return _number(node)
    if kinds.get("sized"):
        return one_of(ListShape(AnyShape()), text_shape(node))
    if kinds.get("ordered"):
        return NUMBER
    if kinds.get("bool") or (kinds.get("truth") and not any(kind.startswith("object.") for kind in kinds)):
        return BoolShape()
    if kinds.get("callable"):
        return OpaqueShape("callable")
    unknown = sorted(kind.removeprefix("object.") for kind in kinds if kind.startswith("object."))
    if unknown:
        return OpaqueShape(f"object with {', '.join(unknown[:3])}")
    if kinds.get("hashable"):
        return one_of(TextShape(), IntShape())
    return AnyShape()


def literal_scalars(values: list[Scalar]) -> tuple[Scalar, ...]:
    """Constants without doubles, kinds kept apart."""
    seen: dict[tuple[str, Scalar], Scalar] = {}
    for value in values:
        seen.setdefault((type(value).__name__, value), value)
    return tuple(seen.values())


def shape_of_node(node: Var) -> Shape:
    """The shape of one node on its own."""
    return _shape(node.find(), _Way())
