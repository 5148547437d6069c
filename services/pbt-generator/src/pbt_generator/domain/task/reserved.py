"""Names that languages keep for themselves, as far as Python takes them for a function or a parameter."""

from __future__ import annotations

_KEPT = {
    "go": "case chan const default defer fallthrough func go goto interface map package range select struct switch "
    "type var",
    "java": "abstract boolean byte case catch char const default do double enum extends final float goto implements "
    "instanceof int interface long native new package private protected public short static strictfp super switch "
    "synchronized this throw throws transient void volatile true false null _",
    "javascript": "arguments await case catch const debugger default delete do enum eval export extends false function "
    "implements instanceof interface let new null package private protected public static super switch this throw true "
    "typeof var void",
}
# Names that Go gives a meaning which any body may need: a parameter of that name hides it.
_GO_TYPES = "any bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8"
_GO_VALUES = "append cap clear close copy delete false len make max min new nil panic print println recover true"
# Functions that Go calls by itself.
_GO_ENTRIES = "init main"
_KEPT_NAMES = {language: frozenset(names.split()) for language, names in _KEPT.items()}
_OF_PARAMETERS = _KEPT_NAMES | {"go": _KEPT_NAMES["go"] | frozenset(f"{_GO_TYPES} {_GO_VALUES}".split())}
_OF_PARAMETERS["typescript"] = _OF_PARAMETERS["javascript"]
_OF_ENTRIES = frozenset[str]().union(*_KEPT_NAMES.values(), _GO_TYPES.split(), _GO_ENTRIES.split())


def free_name(name: str, language: str) -> str:
    """A parameter's name in a language: with an underscore where the language keeps that name for itself.

    Example:
        >>> free_name("map", "go"), free_name("string", "go"), free_name("map", "java")
        ('map_', 'string_', 'map')
    """
    return f"{name}_" if name in _OF_PARAMETERS.get(language, ()) else name


def free_entry(name: str) -> str:
    """A function's name for all languages: with an underscore where one of them has no function of that name.

    Example:
        >>> free_entry("select"), free_entry("init"), free_entry("select_all")
        ('select_', 'init_', 'select_all')
    """
    return f"{name}_" if name in _OF_ENTRIES else name
