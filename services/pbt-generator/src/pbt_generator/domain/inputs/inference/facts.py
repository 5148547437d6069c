"""What is known of one value of a program: a node of the inference graph."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable

from pbt_generator.domain.inputs.shapes import Scalar

STRONG = 4
WEAK = 1
# Order of creation: facts flow back from younger nodes to older ones.
_numbers = itertools.count()


class Var:
    """One value of a program, with everything that its uses say about it.

    Aliases share one node (union-find). A text made from another one (`x.strip()`) keeps a link to its origin,
    so that what is asked of the piece is known of the whole.
    """

    __slots__ = (
        "_parent",
        "alternatives",
        "axes",
        "columns_read",
        "constants",
        "content",
        "dims",
        "drawn_by",
        "element",
        "fields",
        "formats",
        "function",
        "items",
        "key",
        "kinds",
        "nullable",
        "number",
        "optional_fields",
        "origin",
        "origin_mode",
        "patterns",
        "sizes",
        "sources",
        "templates",
        "tokens",
        "unpack",
        "unpack_caught",
        "value",
    )  # fmt: skip

    def __init__(self, kind: str = "", weight: int = STRONG) -> None:
        self._parent: Var | None = None
        self.kinds: dict[str, int] = {kind: weight} if kind else {}
        self.element: Var | None = None
        self.key: Var | None = None
        self.value: Var | None = None
        self.fields: dict[Scalar, Var] = {}
        self.optional_fields: set[Scalar] = set()
        self.items: dict[int, Var] = {}
        self.unpack: set[int] = set()
        # Something catches the error of a wrong number of parts: any number may come.
        self.unpack_caught = False
        self.constants: list[Scalar] = []
        self.tokens: list[str] = []
        self.patterns: list[str] = []
        self.formats: list[str] = []
        self.sizes: list[int] = []
        self.alternatives: list[tuple[str, Var]] = []
        self.nullable = False
        self.sources: list[Var] = []
        self.drawn_by: list[Var] = []
        self.number = next(_numbers)
        self.origin: Var | None = None
        self.origin_mode = ""
        self.dims: set[int] = set()
        self.axes: dict[int, int] = {}
        self.columns_read: set[str] = set()
        self.function: object = None
        # What a text holds that is read as JSON.
        self.content: Var | None = None
        # The expressions that put a text together from constants and other values.
        self.templates: list[ast.expr] = []

    def find(self) -> Var:
        """The node that stands for all aliases of this one."""
        node = self
        while node._parent is not None:
            if node._parent._parent is not None:
                node._parent = node._parent._parent
            node = node._parent
        return node

    def add(self, kind: str, weight: int = STRONG) -> None:
        """Note that a use asks for a kind."""
        node = self.find()
        node.kinds[kind] = node.kinds.get(kind, 0) + weight

    def constant(self, value: Scalar) -> None:
        """Note a constant that the value is compared with."""
        node = self.find()
        if len(node.constants) < 60 and not any(value == old and type(value) is type(old) for old in node.constants):
            node.constants.append(value)

    def note(self, attribute: str, values: Iterable[str | int]) -> None:
        """Extend one of the lists: tokens, patterns, formats or sizes."""
        known = getattr(self.find(), attribute)
        for value in values:
            if value not in known and len(known) < 60:
                known.append(value)

    def elements(self) -> Var:
        """The node of what iteration gives."""
        node = self.find()
        if node.element is None:
            node.element = Var()
        return node.element.find()

    def keys(self) -> Var:
        """The node of a map's keys."""
        node = self.find()
        if node.key is None:
            node.key = Var()
        return node.key.find()

    def values(self) -> Var:
        """The node of a map's values."""
        node = self.find()
        if node.value is None:
            node.value = Var()
        return node.value.find()

    def entry(self, name: Scalar, *, required: bool) -> Var:
        """The node of a map's entry under a known key."""
        node = self.find()
        if name not in node.fields:
            node.fields[name] = Var()
            if not required:
                node.optional_fields.add(name)
        elif required:
            node.optional_fields.discard(name)
        return node.fields[name].find()

    def item(self, index: int) -> Var:
        """The node of a sequence's item at a known place."""
        node = self.find()
        if index not in node.items:
            part = node.element.find() if node.element is not None else None
            # A piece of a text that was cut up is a piece of it, whichever place it has.
            cut = part is not None and part.origin is not None and part.origin_mode == "part"
            node.items[index] = derived(part.origin, "text", "part") if cut and part and part.origin else Var()
        return node.items[index].find()

    def draw(self, *sources: Var) -> Var:
        """Note that the value may be any of the given ones: what is asked of it is asked of them."""
        for source in sources:
            self.sources.append(source)
            source.find().drawn_by.append(self)
        return self

    def known(self) -> bool:
        """Whether some use asks for a kind with force."""
        node = self.find()
        return any(weight >= STRONG for weight in node.kinds.values()) or bool(node.fields or node.items or node.unpack)


def unify(first: Var, second: Var) -> Var:
    """Make two nodes one; what was known of either is known of both."""
    a, b = first.find(), second.find()
    if a is b:
        return a
    b._parent = a  # pyright: ignore[reportPrivateUsage]
    for kind, weight in b.kinds.items():
        a.kinds[kind] = a.kinds.get(kind, 0) + weight
    for value in b.constants:
        a.constant(value)
    for attribute in ("tokens", "patterns", "formats", "sizes"):
        a.note(attribute, getattr(b, attribute))
    a.unpack |= b.unpack
    a.unpack_caught = a.unpack_caught or b.unpack_caught
    a.dims |= b.dims
    for axis, size in b.axes.items():
        a.axes[axis] = max(size, a.axes.get(axis, 0))
    a.columns_read |= b.columns_read
    a.nullable = a.nullable or b.nullable
    a.alternatives += b.alternatives
    a.sources += b.sources
    a.templates += b.templates
    a.drawn_by += b.drawn_by
    a.function = a.function or b.function
    a.content = a.content or b.content
    if a.origin is None:
        a.origin, a.origin_mode = b.origin, b.origin_mode
    a.optional_fields = {
        name
        for name in a.optional_fields | b.optional_fields
        if (name in a.optional_fields or name not in a.fields) and (name in b.optional_fields or name not in b.fields)
    }
    pairs: list[tuple[Var, Var]] = []
    for attribute in ("element", "key", "value"):
        mine: Var | None = getattr(a, attribute)
        other: Var | None = getattr(b, attribute)
        if mine is None:
            setattr(a, attribute, other)
        elif other is not None:
            pairs.append((mine, other))
    for name, node in b.fields.items():
        if name in a.fields:
            pairs.append((a.fields[name], node))
        else:
            a.fields[name] = node
    for index, node in b.items.items():
        if index in a.items:
            pairs.append((a.items[index], node))
        else:
            a.items[index] = node
    for mine, other in pairs:
        unify(mine, other)
    return a.find()


def derived(origin: Var, kind: str, mode: str) -> Var:
    """A value computed from another one.

    Args:
        origin: The whole.
        kind: Kind of the result.
        mode: "same" (a text near enough to the whole), "part" (a piece of it), "length" or "number" (its size or its
            numeric reading), "slice" (a part of a text or list), "shape" (of an array).
    """
    node = Var(kind)
    node.origin = origin.find()
    node.origin_mode = mode
    node.origin.drawn_by.append(node)
    return node
