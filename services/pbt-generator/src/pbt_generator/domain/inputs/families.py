"""Rule families of the search that can be left out one by one: what each earns is measured (`tests/bench/ablation.py`).

A family that earns nothing on packages drawn at random goes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from pbt_generator.domain.inputs.shapes import InputShape, Shape, TextShape, mapped

_FORMATS: dict[str, frozenset[str]] = {
    "web texts": frozenset(
        {"path", "url", "email", "version", "uuid", "ip", "ipnet", "html", "query", "percent", "glob", "regex", "host",
         "header", "encoding", "errors", "shell", "zone"}
    ),
    "literals": frozenset({"literal"}),
    "texts of moments": frozenset({"time:iso", "dateformat", "date"}),
    "texts of numbers": frozenset({"integer", "float", "decimal", "number", "digits", "hex", "bits"}),
}  # fmt: skip


def _texts(change: Callable[[TextShape], TextShape]) -> Callable[[InputShape], InputShape]:
    def part(shape: Shape) -> Shape:
        return change(shape) if isinstance(shape, TextShape) else shape

    def apply(shape: InputShape) -> InputShape:
        parameters = tuple(replace(each, shape=mapped(each.shape, part)) for each in shape.parameters)
        return replace(shape, parameters=parameters)

    return apply


def _unformatted(names: frozenset[str]) -> Callable[[InputShape], InputShape]:
    def change(text: TextShape) -> TextShape:
        return replace(text, formats=tuple(name for name in text.formats if name.partition(":")[0] not in names))

    return _texts(change)


_LEFT_OUT: dict[str, Callable[[InputShape], InputShape]] = {
    "constants": lambda shape: replace(shape, constants=()),
    "real inputs": lambda shape: replace(shape, examples=()),
    "patterns": _texts(lambda text: replace(text, patterns=())),
    "tokens": _texts(lambda text: replace(text, tokens=(), hints=())),
    "texts that hold values": _texts(lambda text: replace(text, content=None)),
    **{name: _unformatted(formats) for name, formats in _FORMATS.items()},
}
FAMILIES = tuple(_LEFT_OUT)


def without(shape: InputShape, families: Collection[str]) -> InputShape:
    """What is known of inputs, without what some families found out.

    Args:
        shape: Everything that is known.
        families: Members of `FAMILIES`.

    Raises:
        KeyError: there is no such family.
    """
    for family in sorted(families):
        shape = _LEFT_OUT[family](shape)
    return shape


__all__ = ["FAMILIES", "without"]
