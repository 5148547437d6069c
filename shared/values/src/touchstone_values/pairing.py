"""Which elements of a set, or keys of a map, are partners: almost always by sorting, and by trying within a budget.

Every element has a shape: what it is apart from the numbers that have a tolerance, and these numbers in order, its
slots. Partners have equal shapes. Without slots that is enough; with one slot it is a matching of points to intervals,
which the interval that ends first decides; what is left is tried, in order first.
"""

# JSON trees have no static types.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

import base64
import bisect
import heapq
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from touchstone_values.closeness import NUMBERS, comparable, number_of, reach
from touchstone_values.encoding import dump
from touchstone_values.moments import CLOCKS, clock_text
from touchstone_values.parsing import MAPS, SEQUENCES, SETS, TAG

# What one comparison may spend on pairing, beside so much for each value of the two trees.
STEPS = 500_000
STEPS_PER_VALUE = 16
# Pairings within pairings; elements that could be confused at each level double the size of a value.
_DEEPEST = 20

_PLAIN: dict[type, str] = {
    list: "list",
    str: "text",
    int: "int",
    float: "float",
    bool: "bool",
    type(None): "null",
}
_HOLDERS = SEQUENCES | {"list", "record"}
_WRITTEN = frozenset({"date", "timedelta", "path", "nat", "na"})


class PairingError(Exception):
    """The elements could not be paired within the budget."""

    def __init__(self) -> None:
        super().__init__("pairing the elements would take too many steps")


def kind_of(node: Any) -> str:
    """The kind of a checked node: its tag, or what JSON makes of it; a text in code units is a text."""
    if type(node) is dict:
        kind = node.get(TAG, "map")
        return "text" if kind == "str" else kind
    return _PLAIN[type(node)]


def text_of(node: Any) -> str:
    """The text of a node of kind `text`, whichever way it is written."""
    if type(node) is str:
        return node
    raw = b"".join(unit.to_bytes(2, "little") for unit in node["v"])
    return raw.decode("utf-16-le", "surrogatepass")


def unwrapped(node: Any) -> Any:
    """What a numpy scalar holds: no program can be asked to tell them apart."""
    if type(node) is not dict or node.get(TAG) != "scalar":
        return node
    if node["dtype"][1] in "Mm":
        return {TAG: "ndarray", "dtype": node["dtype"], "shape": [], "v": [node["v"]]}
    return unwrapped(node["v"])


@dataclass
class Shape:
    """An element without its numbers.

    Attributes:
        token: Equal for all elements that may be equal. A text: Python hashes texts with a secret, so that no
            candidate can make its elements collide.
        slots: Numbers with a tolerance, in order.
        sure: Equal tokens and close slots mean equal elements; otherwise only trying tells.
    """

    token: str
    slots: tuple[Any, ...] = ()
    sure: bool = True


Element = tuple[Any, Shape, int]
"""A node, its shape, and its position."""


def shape_of(node: Any, portable: bool, mixed: bool = False) -> Shape:
    """The shape of a checked node.

    Args:
        node: The node.
        portable: Whether kinds that differ between languages count as one.
        mixed: Records may meet maps as well as sequences: what all three have in common is what they hold.
    """
    node = unwrapped(node)
    kind = kind_of(node)
    if mixed and (kind in _HOLDERS or kind in MAPS):
        held = sorted((shape.token, shape.slots) for shape in (shape_of(x, portable, True) for x in _held(node, kind)))
        token = f"holder({','.join([token for token, _ in held])})"
        return Shape(token, tuple(slot for _, slots in held for slot in slots), False)
    if kind in NUMBERS:
        return _number_shape(node, kind, portable)
    if kind == "text":
        text = text_of(node)
        return Shape(f"text {len(text)} {text}")
    if kind in ("bool", "null"):
        return Shape(f"{kind} {node}")
    if kind == "list" or kind in SEQUENCES:
        items = [shape_of(item, portable, mixed) for item in (node if type(node) is list else node["v"])]
        return _joined("sequence" if portable else kind, items)
    if kind == "record":
        items = [shape_of(item, portable, mixed) for _, item in node["fields"]]
        if portable:
            shape = _joined("sequence", items)
            return Shape(shape.token, shape.slots, False)
        return _joined(f"record {dump([node['name'], *(name for name, _ in node['fields'])])}", items)
    if kind in SETS:
        items = [shape_of(item, portable, mixed) for item in node["v"]]
        token = f"{'set' if portable else kind}({','.join(sorted(item.token for item in items))})"
        return Shape(token, (), all(item.sure and not item.slots for item in items))
    if kind in ("bytes", "bytearray"):
        return Shape(f"{kind} {base64.b64decode(node['v']).hex()}")
    if kind in CLOCKS:
        return Shape(f"{kind} {clock_text(node)}")
    if kind in _WRITTEN:
        return Shape(f"{kind} {dump(node)}")
    return Shape("map" if portable and kind in MAPS else kind, (), False)


def _held(node: Any, kind: str) -> Iterable[Any]:
    """What a sequence, a record or a map holds, without the keys."""
    if kind == "list":
        return node
    if kind in SEQUENCES:
        return node["v"]
    if kind == "record":
        return (item for _, item in node["fields"])
    return (item for _, item in node["v"]) if TAG in node else node.values()


def _joined(head: str, items: list[Shape]) -> Shape:
    slots = tuple(slot for item in items for slot in item.slots)
    token = f"{head}({','.join([item.token for item in items])})"
    return Shape(token, slots, all(item.sure for item in items))


def _number_shape(node: Any, kind: str, portable: bool) -> Shape:
    number = number_of(node, kind)
    # In portable mode numbers of all kinds may meet, so their tokens are alike.
    head = "number" if portable else kind
    if kind == "complex":
        if not (math.isfinite(number.real) and math.isfinite(number.imag)):
            return Shape(f"{head} {number.real}", (), False)
        return Shape(head, (number.real,), False) if portable else Shape(head, (number.real, number.imag))
    if kind == "float":
        return Shape(head, (number,)) if math.isfinite(number) else Shape(f"{head} {number}")
    if kind == "decimal" and not number.is_finite():
        return Shape(f"{head} {'snan' if number.is_snan() else float(number)}")
    found = comparable(number)
    if found is None:
        # A decimal too large or too small for the rest of the world: as good as nothing, or beyond all floats.
        return Shape(head, (0,), False) if number.adjusted() < 0 else Shape(f"{head} far", (), False)
    return Shape(head, (found,)) if portable else Shape(f"{head} {found}")


class Budget:
    """Steps that all pairings of one comparison may take together: a candidate cannot buy time.

    Args:
        expected: The whole expected tree.
        actual: The whole actual tree.

    Attributes:
        left: Steps that are left.
        depth: Pairings within which one is at work.
        mixed: There are records beside maps.
    """

    def __init__(self, expected: Any, actual: Any) -> None:
        self.depth = 0
        self.left = STEPS + STEPS_PER_VALUE * (_weight(expected) + _weight(actual))
        kinds = _kinds(expected) | _kinds(actual)
        self.mixed = "record" in kinds and not MAPS.isdisjoint(kinds)

    def pay(self, *nodes: Any) -> None:
        """Take what looking at these nodes costs.

        Raises:
            PairingError: the budget is spent.
        """
        self.left -= sum(map(_weight, nodes))
        if self.left < 0:
            raise PairingError


def _weight(tree: Any) -> int:
    """How many values a tree holds, a long text counting as several."""
    stack, found = [tree], 0
    while stack:
        node = stack.pop()
        found += 1
        if type(node) is list:
            stack.extend(node)
        elif type(node) is dict:
            stack.extend(node.values())
        elif type(node) is str:
            found += len(node) >> 6
    return found


def _kinds(tree: Any) -> set[str]:
    """The kinds of all objects of a tree, a map without a tag being one of kind `map`."""
    stack, found = [tree], set[str]()
    while stack:
        node = stack.pop()
        if type(node) is list:
            stack.extend(node)
        elif type(node) is dict:
            found.add(kind_of(node))
            stack.extend(node.values())
    return found


@dataclass(frozen=True)
class Partners:
    """Who belongs to whom.

    Attributes:
        places: For each expected element the place of its partner.
        unseen: Expected elements that have only one possible partner, to which they were not compared yet.
        twins: Some expected elements cannot be told apart at all: with a NaN in it, a key can be in a map twice.
    """

    places: list[int]
    unseen: list[int]
    twins: bool = False


class Pairing:
    """Finds partners.

    Args:
        portable: Whether kinds that differ between languages count as one.
        tolerance: As in `compare`.
        equal: Compares two nodes fully.
        budget: Of the whole comparison.
    """

    def __init__(self, portable: bool, tolerance: float, equal: Callable[[Any, Any], bool], budget: Budget) -> None:
        self._portable = portable
        self._tolerance = tolerance
        self._equal = equal
        self._budget = budget

    def find(self, a: Sequence[Any], b: Sequence[Any]) -> Partners | None:
        """Who belongs to whom, each used once; None when there is no such pairing.

        Raises:
            PairingError: it would take too many steps to know.
        """
        if len(a) != len(b):
            return None
        if self._budget.depth > _DEEPEST:
            raise PairingError
        if len(a) == 1:
            return Partners([0], [0])
        self._budget.pay(a, b)
        mixed = self._portable and self._budget.mixed
        ours = [shape_of(node, self._portable, mixed) for node in a]
        theirs = [shape_of(node, self._portable, mixed) for node in b]
        groups: dict[str, tuple[list[int], list[int]]] = {}
        for place, shape in enumerate(ours):
            groups.setdefault(shape.token, ([], []))[0].append(place)
        for place, shape in enumerate(theirs):
            group = groups.get(shape.token)
            if group is None:
                return None
            group[1].append(place)
        if any(len(left) != len(right) for left, right in groups.values()):
            return None
        partners = [-1] * len(a)
        unseen: list[int] = []
        for left, right in groups.values():
            if len(left) == 1:
                partners[left[0]] = right[0]
                if ours[left[0]].slots or not (ours[left[0]].sure and theirs[right[0]].sure):
                    unseen.append(left[0])
                continue
            pairs = self._match([(a[i], ours[i], i) for i in left], [(b[j], theirs[j], j) for j in right])
            if pairs is None:
                return None
            for i, j in pairs:
                partners[i] = j
        # 1 and 1.0 are equal, but told apart.
        twins = len({(shape.token, repr(shape.slots)) for shape in ours}) < len(ours)
        return Partners(partners, unseen, twins)

    def _match(self, left: list[Element], right: list[Element]) -> list[tuple[int, int]] | None:
        """Pair elements whose shapes have the same token."""
        slots = len(left[0][1].slots)
        sure = all(shape.sure for _, shape, _ in left) and all(shape.sure for _, shape, _ in right)
        if sure and slots == 0:
            return [(x[2], y[2]) for x, y in zip(left, right, strict=True)]
        if sure and slots == 1:
            pairs = self._by_intervals(left, right)
            if pairs is None:
                return None
        else:
            pairs = list(zip(*(sorted(side, key=lambda one: one[1].slots) for side in (left, right)), strict=True))
        if all(self._same(x, y) for x, y in pairs):
            return [(x[2], y[2]) for x, y in pairs]
        return self._by_trying(left, right, slots if sure else 0)

    def _by_intervals(self, left: list[Element], right: list[Element]) -> list[tuple[Element, Element]] | None:
        """Points in order; each takes, of the intervals that hold it, the one that ends first: that loses nothing."""
        waiting = sorted(
            ((*reach(element[1].slots[0], self._tolerance), place) for place, element in enumerate(left)), reverse=True
        )
        begun: list[tuple[Any, int]] = []
        pairs: list[tuple[Element, Element]] = []
        # Of equal numbers the exact one first, as of intervals: else 1 and 1.0 as keys of one map change places.
        for element in sorted(right, key=lambda one: (one[1].slots[0], reach(one[1].slots[0], self._tolerance)[1])):
            point = element[1].slots[0]
            while waiting and waiting[-1][0] <= point:
                heapq.heappush(begun, waiting.pop()[1:])
            if not begun or begun[0][0] < point:
                return None
            pairs.append((left[heapq.heappop(begun)[1]], element))
        return pairs

    def _same(self, x: Element, y: Element) -> bool:
        self._budget.pay(x[0], y[0])
        self._budget.depth += 1
        try:
            return self._equal(x[0], y[0])
        finally:
            self._budget.depth -= 1

    def _by_trying(self, left: list[Element], right: list[Element], slots: int) -> list[tuple[int, int]] | None:
        """Try who meets whom, then pair by augmenting paths: closeness is not transitive, a first fit may be wrong.

        Args:
            left: Expected elements.
            right: Actual ones.
            slots: How many slots tell who can meet whom; 0 when only trying does.
        """
        ordered, keys, slot = right, [], 0
        if slots:
            # Only what is near in the slot that tells most elements apart need be tried.
            slot = max(range(slots), key=lambda n: len({shape.slots[n] for _, shape, _ in left}))
            ordered = sorted(right, key=lambda one: one[1].slots[slot])
            keys = [shape.slots[slot] for _, shape, _ in ordered]
        fits: dict[int, list[int]] = {}
        for element in left:
            near = ordered
            if slots:
                least, most = reach(element[1].slots[slot], self._tolerance)
                near = ordered[bisect.bisect_left(keys, least) : bisect.bisect_right(keys, most)]
            fits[element[2]] = [other[2] for other in near if self._same(element, other)]
        owner: dict[int, int] = {}
        place: dict[int, int] = {}
        if not all(self._augment(i, fits, owner, place) for i in fits):
            return None
        return list(place.items())

    def _augment(self, first: int, fits: dict[int, list[int]], owner: dict[int, int], place: dict[int, int]) -> bool:
        """Find a place for one more, moving others aside; breadth first, as paths may be longer than the stack."""
        reached: dict[int, int] = {}
        waiting = [first]
        for i in waiting:
            self._budget.pay(fits[i])
            for j in fits[i]:
                if j in reached:
                    continue
                reached[j] = i
                if j in owner:
                    waiting.append(owner[j])
                    continue
                while True:
                    mover, free = reached[j], j
                    j = place.get(mover, -1)
                    owner[free], place[mover] = mover, free
                    if mover == first:
                        return True
        return False
