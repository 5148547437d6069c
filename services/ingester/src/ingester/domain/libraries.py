"""What the allowed libraries offer, and which of their names do more than compute."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import resources
from typing import Literal, NamedTuple, cast

Effect = Literal["side_effects", "nondeterminism"]


class ModuleNames(NamedTuple):
    """The attributes of a module, and those that `from module import *` brings."""

    names: frozenset[str]
    star: frozenset[str]


@dataclass(frozen=True)
class Libraries:
    """The configured list `L_allowed`, with what is known about each library.

    Source: Code2Bench, appendix B.3 (the paper's list has 37 entries; ours is configuration).
    """

    allowed: frozenset[str]
    effects: Mapping[str, Effect | Literal["pure"]]
    modules: Mapping[str, ModuleNames]
    # Answers that resolution keeps: the same few paths are asked for again and again.
    answers: dict[Hashable, tuple[str, str]] = field(
        default_factory=dict[Hashable, tuple[str, str]], compare=False, repr=False
    )

    def owner(self, path: str) -> str:
        """The entry of the list that covers a dotted path; empty when none does."""
        return _owner(self.allowed, path)

    def effect(self, path: str) -> Effect | None:
        """What using a dotted path does beyond computing, by its longest known prefix."""
        prefix = path
        while prefix:
            found = self.effects.get(prefix)
            if found is not None:
                return None if found == "pure" else found
            prefix = prefix.rpartition(".")[0]
        return None

    def lacks(self, module: str, name: str) -> bool:
        """True when the module is known and has no such name, nor such a submodule."""
        known = self.modules.get(module)
        return known is not None and name not in known.names and f"{module}.{name}" not in self.modules

    def star_names(self, module: str) -> frozenset[str] | None:
        """What `from module import *` brings; none when that is not known."""
        known = self.modules.get(module)
        return None if known is None or not self.owner(module) else known.star


@lru_cache(maxsize=4096)
def _owner(allowed: frozenset[str], path: str) -> str:
    prefix = path
    while prefix:
        if prefix in allowed:
            return prefix
        prefix = prefix.rpartition(".")[0]
    return ""


def read_libraries(configuration: str, names: str) -> Libraries:
    """Read the list of libraries.

    Args:
        configuration: TOML with the tables `allowed` and `effects`.
        names: JSON of `{module: {"names": "a b", "star": "a"}}`; `star` is left out where it is every public name.
    """
    document = tomllib.loads(configuration)
    allowed: set[str] = set()
    for entries in cast("Mapping[str, Iterable[str]]", document["allowed"]).values():
        allowed.update(entries)
    effects: dict[str, Effect | Literal["pure"]] = {}
    table = cast("Mapping[str, Iterable[str]]", document.get("effects", {}))
    for path in table.get("side_effects", ()):
        effects[path] = "side_effects"
    for path in table.get("nondeterminism", ()):
        effects[path] = "nondeterminism"
    for path in table.get("pure", ()):
        effects[path] = "pure"
    modules: dict[str, ModuleNames] = {}
    for module, entry in cast("dict[str, dict[str, str]]", json.loads(names)).items():
        every = frozenset(entry["names"].split())
        star = entry.get("star")
        public = frozenset(name for name in every if not name.startswith("_"))
        modules[module] = ModuleNames(every, public if star is None else frozenset(star.split()))
    return Libraries(frozenset(allowed), effects, modules)


@cache
def default_libraries() -> Libraries:
    """The list that the package ships."""
    folder = resources.files("ingester") / "resources"
    configuration = (folder / "libraries.toml").read_text(encoding="utf-8")
    return read_libraries(configuration, (folder / "library_names.json").read_text(encoding="utf-8"))
