"""What a solver is told of a method that became a function of its object's fields, and gives back what it changes."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection

from pbt_generator.domain.inputs.inference.real_inputs import parameter_of
from pbt_generator.domain.oracle.branches import own_nodes
from pbt_generator.domain.oracle.syntax import entry_function, parameter_names

# The key under which such a function gives what the method returned.
_RETURNED = "result"
# How the rule begins that tells what such a function gives.
KEPT = "The result is a map of what is held at the end: "
_OF_A_METHOD = "It was a method: the fields of its object that it reads are given as parameters."
_OBJECT = re.compile(r"\b(?:self|itself|our|this|instances?|objects?)\b", re.IGNORECASE)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_FIELD = re.compile(r"\b(?:self|cls)\.(?P<name>\w+)\b(?!\()")


def without_object(docstring: str, names: Collection[str]) -> str:
    """A method's words with the parameter in the place of each field that became one.

    Args:
        docstring: As written.
        names: Of the parameters.

    Example:
        >>> without_object("From `self.low` to self._high, by self.step().", ["own_low", "high"])
        'From `own_low` to high, by self.step().'
    """
    return _FIELD.sub(lambda field: parameter_of(field["name"], names) or field[0], docstring)


def of_a_method(words: str, qualname: str, names: Collection[str]) -> list[str]:
    """Where the object is of which a method's words speak, as a rule; none where they speak of none.

    Args:
        words: In plain text.
        qualname: Of the method, with its class.
        names: Of the parameters.

    Example:
        >>> of_a_method("Remove a vertex from the graph.", "DirectedGraph.remove", ["vertices", "key"])
        ['It was a method: the fields of its object that it reads are given as parameters.']
        >>> of_a_method("Decode the key.", "PublicKey.decode", ["key_text"])
        []
    """
    kind = (_WORD.findall(qualname.rpartition(".")[0]) or [""])[-1].lower()
    given = any(kind in name.lower() for name in names)
    speaks = kind and not given and re.search(rf"\b{re.escape(kind)}s?\b", words, re.IGNORECASE)
    return [_OF_A_METHOD] if speaks or _OBJECT.search(words) else []


def kept_fields(source: str, entry_point: str) -> list[str]:
    """What stands under each key of the map that a method became to give, as a rule; none where it gives another thing.

    Args:
        source: The ground truth.
        entry_point: Its name.

    Example:
        >>> kept_fields("def push(items, x):\\n    items.append(x)\\n    return {'items': items}", "push")
        ['The result is a map of what is held at the end: under `items` what `items` has become.']
    """
    entry = entry_function(source, entry_point)
    given = [_entries(node.value) for node in own_nodes(entry) if isinstance(node, ast.Return)]
    if not given or not given[0] or any(each is None or list(each) != list(given[0]) for each in given):
        return []
    fields = [key for key in given[0] if key != _RETURNED]
    names = {entries[key] for entries in given if entries for key in fields}
    if not fields or len(names) != len(fields) or "" in names:
        return []
    # A field that no argument gives the beginning of has a name that only the program knows.
    parameters = parameter_names(entry)
    own = [(key, given[0][key]) for key in fields]
    told = [f"under `{key}` what `{name}` has become" for key, name in own if name in parameters]
    if others := [f"`{key}`" for key, name in own if name not in parameters]:
        told.append(
            f"under {', '.join(others)} the object's {'fields of these names' if others[1:] else 'field of that name'}"
        )
    if _RETURNED in given[0]:
        told.append(f"under `{_RETURNED}` what is returned, or nothing (null)")
    return [f"{KEPT}{', '.join(told)}."]


def _entries(value: ast.expr | None) -> dict[str, str] | None:
    """The keys of a map and the name of what stands under each, empty for what has no name."""
    if not isinstance(value, ast.Dict):
        return None
    found: dict[str, str] = {}
    for key, held in zip(value.keys, value.values, strict=True):
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            return None
        found[key.value] = held.id if isinstance(held, ast.Name) else ""
    return found


__all__ = ["KEPT", "kept_fields", "of_a_method", "without_object"]
