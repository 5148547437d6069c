"""Lets what is asked of derived and joined values reach the values that they come from."""

from __future__ import annotations

from collections.abc import Iterator

from pbt_generator.domain.inputs.inference.facts import STRONG, Var, unify

CONTAINERS = ("text", "bytes", "map", "list", "tuple", "tuple*", "set", "frame", "series", "ndarray")


def _reachable(roots: list[Var]) -> list[Var]:
    seen: dict[int, Var] = {}
    stack = [root.find() for root in roots]
    while stack:
        node = stack.pop().find()
        if id(node) in seen:
            continue
        seen[id(node)] = node
        stack.extend(_neighbours(node))
    return list(seen.values())


def _neighbours(node: Var) -> Iterator[Var]:
    for child in (node.element, node.key, node.value):
        if child is not None:
            yield child
    yield from node.fields.values()
    yield from node.items.values()
    yield from node.drawn_by
    for _, alternative in node.alternatives:
        yield alternative


def flow_back(roots: list[Var]) -> None:
    """Let what is asked of derived and joined values reach the values that they come from."""
    for node in _reachable(roots):
        _gather_items(node.find())
    for _ in range(2):
        for node in sorted(_reachable(roots), key=lambda item: item.number, reverse=True):
            current = node.find()
            for source in list(current.sources):
                _flow_join(current, source.find())
            if current.origin is not None:
                _flow_origin(current, current.origin.find(), current.origin_mode)


def _gather_items(node: Var) -> None:
    """Items read at fixed places of something that is also iterated are elements like the others."""
    if node.element is None or not node.items or node.unpack or "tuple" in node.kinds:
        return
    for item in list(node.items.values()):
        held = {kind for kind, weight in node.element.find().kinds.items() if weight >= STRONG}
        asked = {kind for kind, weight in item.find().kinds.items() if weight >= STRONG}
        if not held or not asked or held & asked:
            unify(node.element, item)


def _flow_join(node: Var, source: Var) -> None:
    if node is source:
        return
    asked = {kind for kind, weight in node.kinds.items() if weight >= STRONG}
    held = {kind for kind, weight in source.kinds.items() if weight >= STRONG}
    if not held or not asked or asked & held:
        if len({id(other.find()) for other in node.sources}) == 1:
            unify(source, node)
            return
        for kind, weight in node.kinds.items():
            if kind not in source.kinds and not (held and kind in CONTAINERS):
                source.add(kind, weight)
        _copy_texts(node, source)
        for value in node.constants:
            source.constant(value)
        for name, entry in node.fields.items():
            if not held or "map" in source.kinds:
                unify(source.entry(name, required=name not in node.optional_fields), entry)
        for attribute in ("element", "key", "value"):
            inner: Var | None = getattr(node, attribute)
            if (
                inner is not None
                and getattr(source, attribute) is None
                and not (held and held <= {"text", "int", "float"})
            ):
                setattr(source, attribute, inner)
        for index, item in node.items.items():
            source.items.setdefault(index, item)
        source.unpack |= node.unpack


def _copy_texts(node: Var, target: Var) -> None:
    for attribute in ("tokens", "patterns", "sizes"):
        target.note(attribute, getattr(node, attribute))
    if node.element is not None and node.origin_mode in {"same", "part", "slice"}:
        # What single characters are compared with.
        letters = node.element.find()
        target.note("tokens", [*(value for value in letters.constants if isinstance(value, str)), *letters.tokens])
    # That a piece is one character says nothing of the whole.
    target.note("formats", [name for name in node.formats if name != "char"])


def _flow_origin(node: Var, origin: Var, mode: str) -> None:
    texts = [value for value in node.constants if isinstance(value, str)]
    numbers = [value for value in node.constants if isinstance(value, (int, float)) and not isinstance(value, bool)]
    match mode:
        case "codepoint":
            codes = [value for value in numbers if isinstance(value, int) and 32 <= value < 0x110000]
            origin.note("tokens", [chr(code) for code in codes if not 0xD800 <= code < 0xE000])
        case "read":
            # `str(x)`, then read like a text: most likely it was one.
            if node.tokens or node.formats or node.patterns or texts:
                origin.add("text", 2)
            _copy_texts(node, origin)
            for text in texts:
                origin.constant(text)
        case "same":
            _copy_texts(node, origin)
            for text in texts:
                origin.constant(text)
        case "part":
            _copy_texts(node, origin)
            origin.note("tokens", texts)
        case "slice":
            for kind in ("text", "list"):
                if node.kinds.get(kind, 0) >= STRONG or (kind == "text" and texts):
                    origin.add(kind, 2)
            _copy_texts(node, origin)
            origin.note("tokens", texts)
            if node.element is not None and "text" not in origin.kinds:
                unify(origin.elements(), node.element)
        case "length":
            origin.note("sizes", [value for value in numbers if isinstance(value, int)])
        case "number":
            for value in numbers:
                if "text" in origin.kinds:
                    origin.note("tokens", [str(value)])
                else:
                    origin.constant(value)
        case "shape":
            origin.dims |= {size for size in node.unpack if size}
        case _:
            pass
