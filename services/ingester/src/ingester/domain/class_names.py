"""What the names that a class binds mean: private ones, slots, and properties with what sets them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ingester.domain.extraction import read_decorators
from ingester.domain.grammar import Field, kind_set, text_of
from ingester.domain.packages import Module
from ingester.domain.scopes import Definition, Site

_STRING = kind_set("string")
_LISTED = kind_set("list", "tuple", "expression_list")
# Behind the name of a property, that of the method that is run where the property is stored to: no name has a point.
SETTER = ".setter"


def slots(module: Module, site: Site) -> Iterator[str]:
    """The names that a class lists in `__slots__`: its objects have them as fields, whoever stores them."""
    definitions = site.body_scope.bindings.get("__slots__", [])
    if len(definitions) != 1:
        return
    node = module.root.named_descendant_for_byte_range(definitions[0].start, definitions[0].start)
    value = node.parent.child_by_field_id(Field.RIGHT) if node is not None and node.parent is not None else None
    for each in (value.named_children if value.kind_id in _LISTED else [value]) if value is not None else ():
        name = text_of(each)[1:-1]
        if each.kind_id in _STRING and name.isidentifier() and not name.startswith("__"):
            yield name


def setter(module: Module, site: Site, definitions: Sequence[Definition]) -> Site | None:
    """What sets a property, where a class binds a name as one and then with its setter and deleter alone."""
    sites = [module.graph.sites[each.site] for each in definitions if each.site >= 0]
    texts = [read_decorators(each, module.graph.source) for each in sites]
    name = sites[0].name if sites else ""
    plain = len(sites) == len(definitions) > 1 and all(each.outer.parent == site.body for each in sites)
    if not plain or texts[0] != ("property",) or not {*texts[1:]} <= {(f"{name}{SETTER}",), (f"{name}.deleter",)}:
        return None
    setters = [each for each, text in zip(sites, texts, strict=True) if text == (f"{name}{SETTER}",)]
    return setters[0] if len(setters) == 1 else None


def as_written(bound: str, site: Site) -> str:
    """A name of a class as its text has it: private ones are bound with the name of the class before them."""
    prefix = f"_{site.name.lstrip('_')}"
    return bound.removeprefix(prefix) if is_private(bound.removeprefix(prefix)) else bound


def is_private(name: str) -> bool:
    """Whether a name means another thing in each class."""
    return name.startswith("__") and not name.endswith("__")
