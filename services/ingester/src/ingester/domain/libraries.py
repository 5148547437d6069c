"""What the allowed libraries offer, and which of their names do more than compute."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from importlib import resources
from typing import Literal, NamedTuple, cast

Effect = Literal["side_effects", "nondeterminism"]


class ModuleNames(NamedTuple):
    """The attributes of a module, and those that `from module import *` brings."""

    names: frozenset[str]
    star: frozenset[str]


class LastName(NamedTuple):
    """What names that look so do in a library; `written` says that it is so only where they are given something."""

    pattern: str
    effect: Effect
    written: bool = False


@dataclass(frozen=True)
class Libraries:
    """The configured list `L_allowed`, with what is known about each library.

    Source: Code2Bench, appendix B.3 (the paper's list has 37 entries; ours is configuration).
    """

    allowed: frozenset[str]
    effects: Mapping[str, Effect | Literal["pure"]]
    modules: Mapping[str, ModuleNames]
    # What names do wherever they are reached: by the library, a pattern, the effect, and whether only with arguments.
    last_names: Mapping[str, tuple[LastName, ...]] = field(default_factory=dict[str, tuple[LastName, ...]])
    # Answers that resolution keeps: the same few paths are asked for again and again.
    answers: dict[Hashable, tuple[str, str]] = field(
        default_factory=dict[Hashable, tuple[str, str]], compare=False, repr=False
    )

    def owner(self, path: str) -> str:
        """The entry of the list that covers a dotted path; empty when none does."""
        return _owner(self.allowed, path)

    def effect(self, path: str) -> Effect | None:
        """What using a dotted path does beyond computing, by its longest known prefix, or by its last name."""
        prefix = path
        while prefix:
            found = self.effects.get(prefix)
            if found is not None:
                return None if found == "pure" else found
            prefix = prefix.rpartition(".")[0]
        return self.method_effect((path,), path.rpartition(".")[2], given=True)

    def method_effect(self, paths: Iterable[str], name: str, *, given: bool) -> Effect | None:
        """What a name does that is called on anything where libraries are used.

        Args:
            paths: What is used of them.
            name: The method.
            given: Whether the call has arguments.
        """
        for library in sorted({path.partition(".")[0] for path in paths}):
            for each in self.last_names.get(library, ()):
                if (given or not each.written) and fnmatchcase(name, each.pattern):
                    return each.effect
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
        configuration: TOML with the tables `allowed`, `effects` and `last_names`.
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
    last_names: dict[str, tuple[LastName, ...]] = {}
    for library, kinds in cast("Mapping[str, Mapping[str, Iterable[str]]]", document.get("last_names", {})).items():
        last_names[library] = (
            *(LastName(each, "nondeterminism") for each in kinds.get("nondeterminism", ())),
            *(LastName(each, "side_effects") for each in kinds.get("side_effects", ())),
            *(LastName(each, "side_effects", written=True) for each in kinds.get("written", ())),
        )
    modules: dict[str, ModuleNames] = {}
    for module, entry in cast("dict[str, dict[str, str]]", json.loads(names)).items():
        every = frozenset(entry["names"].split())
        star = entry.get("star")
        public = frozenset(name for name in every if not name.startswith("_"))
        modules[module] = ModuleNames(every, public if star is None else frozenset(star.split()))
    return Libraries(frozenset(allowed), effects, modules, last_names)


@cache
def default_libraries() -> Libraries:
    """The list that the package ships."""
    folder = resources.files("ingester") / "resources"
    configuration = (folder / "libraries.toml").read_text(encoding="utf-8")
    return read_libraries(configuration, (folder / "library_names.json").read_text(encoding="utf-8"))
