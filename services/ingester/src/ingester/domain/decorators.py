"""Which decorators leave what they decorate what its text says."""

from __future__ import annotations

from ingester.domain.extraction import read_decorators
from ingester.domain.scopes import ScopeGraph, Site

# By their last name those that keep nothing between calls: a helper or a class has no others.
STATELESS = frozenset({
    "abstractmethod", "classmethod", "contextmanager", "dataclass", "final", "no_type_check", "overload", "override",
    "property", "runtime_checkable", "staticmethod", "total_ordering", "unique", "wraps",
})  # fmt: skip
# A function may also keep what it gave. To others no code can give anything to keep or to call in its place.
_LEAVING = STATELESS | {
    "cache", "cached_property", "deleter", "deprecated", "errstate", "getter", "lru_cache", "setter", "vectorize",
}  # fmt: skip


def last_name(text: str) -> str:
    """The last name of a decorator as written.

    Example:
        >>> last_name("functools.lru_cache(maxsize=None)")
        'lru_cache'
    """
    return text.partition("(")[0].rpartition(".")[2].strip()


def keeping(graph: ScopeGraph, site: Site) -> list[tuple[str, int]]:
    """Decorators of a function that may keep what others give it, and their places: it is not what its text says."""
    found: list[tuple[str, int]] = []
    for node, text in zip(site.decorators, read_decorators(site, graph.source), strict=True):
        name = text.partition("(")[0].strip()
        own = any(each.imported is None for each in graph.module.bindings.get(name, ()))
        if own or last_name(text) not in _LEAVING:
            found.append((name, node.start_byte))
    return found
