"""Puts observed operands into inputs: where a comparison saw a value that came from the input, write what it wanted."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import cast

from pbt_generator.domain.inputs.drawing.matching import matching_texts
from pbt_generator.domain.oracle.runs import Input, Operands

Path = tuple[object, ...]
# Beyond it floats are no exact whole numbers any more.
_LARGE = 1e15
_NUMERIC = {"<", "<=", ">", ">=", "==", "!="}


def places(value: object, path: Path = ()) -> Iterator[tuple[Path, object]]:
    """Every part of a value with the way to it; the value itself first."""
    yield path, value
    if isinstance(value, (list, tuple)):
        for index, item in enumerate(cast("list[object]", value)):
            yield from places(item, (*path, index))
    elif isinstance(value, dict):
        for key, item in cast("dict[object, object]", value).items():
            yield from places(item, (*path, key))


def replaced(value: object, path: Path, new: object) -> object:
    """The value with one part replaced; containers on the way are copied."""
    if not path:
        return new
    head, rest = path[0], path[1:]
    if isinstance(value, dict):
        items = dict(cast("dict[object, object]", value))
        items[head] = replaced(items[head], rest, new)
        return items
    sequence = list(cast("list[object]", value))
    index = cast("int", head)
    sequence[index] = replaced(sequence[index], rest, new)
    return tuple(sequence) if isinstance(value, tuple) else sequence


def spliced(base: Input, seen: Operands, rng: random.Random) -> Input | None:
    """The input with what a comparison wanted in the place of what it saw; None when the input does not hold it.

    Args:
        base: The input that was run.
        seen: The operands of one comparison during that run.
        rng: Chooses among places and among neighbours of the wanted value.
    """
    if seen.op == "hold":
        return _holding(base, seen.left, seen.right, rng)
    if seen.op == "key":
        return _add_key(base, seen.left, seen.right, rng)
    pairs = [(seen.left, seen.right), (seen.right, seen.left)]
    if seen.op == "match" and isinstance(seen.right, str):
        return _write(base, seen.left, _matching(seen.left, seen.right, rng), seen.op, rng)
    if seen.op in {"in", "startswith", "endswith", "find", "split", "count", "partition", "get"}:
        pairs = pairs[:1]
    else:
        rng.shuffle(pairs)
    if seen.op.startswith("len"):
        for had, wanted in pairs:
            made = _resize(base, had, _wanted(seen.op[3:], had, wanted, rng), rng)
            if made is not None and made != base:
                return made
        return None
    if seen.op in _NUMERIC and rng.random() < 0.15:
        # What equals an operand by chance is not what it was computed from.
        solved = _solved(base, seen, rng)
        if solved is not None and solved != base:
            return solved
    for had, wanted in pairs:
        target = _wanted(seen.op, had, wanted, rng)
        for candidate in (target,) if not isinstance(target, list) else cast("list[object]", target):
            found = _write(base, had, candidate, seen.op, rng)
            if found is not None and found != base:
                return found
    return _solved(base, seen, rng)


def _matching(had: object, pattern: str, rng: random.Random) -> str:
    """A text that an expression matches, alone or with something before or behind it; at times what was there, so."""
    matching = matching_texts(pattern)
    text = rng.choice(matching) if matching and rng.random() < 0.8 else str(had)
    match rng.randrange(8):
        case 0:
            return rng.choice(("x", " ", "1", "-", "\n", "ab ")) + text
        case 1 | 2:
            return text + rng.choice(("x", " ", "1", "-", "\n", " ab"))
        case _:
            return text


def _solved(base: Input, seen: Operands, rng: random.Random) -> Input | None:
    """The input with one number moved by what a comparison of computed numbers was off, or scaled by their ratio.

    Sums and differences of a number move with it, products and quotients scale with it: one step or two mostly do.
    """
    left, right = seen.left, seen.right
    if type(left) not in (int, float) or type(right) not in (int, float) or seen.op not in _NUMERIC:
        return None
    had, wanted = cast("float", left), cast("float", right)
    parts = [(path, cast("float", part)) for path, part in places(base) if path and type(part) in (int, float)]
    numbers = [(path, number) for path, number in parts if abs(number) <= _LARGE]
    # What is no number compares as false, and goes with what is too large.
    if not (numbers and abs(had) <= _LARGE and abs(wanted) <= _LARGE):
        return None
    path, number = rng.choice(numbers)
    step = wanted - had
    made: float
    match rng.randrange(5):
        case 0 if had:
            made = number * wanted / had
        case 1 if wanted:
            made = number * had / wanted
        case 2:
            made = number - step
        case _:
            made = number + step
    if isinstance(number, int):
        made = round(made) + rng.choice((-1, 0, 0, 0, 1))
    else:
        made = made + rng.choice((0.0, 0.0, 0.0, 0.5, -0.5, 1.0, -1.0))
    return _still_longer(cast("Input", replaced(base, path, made)), number, made, rng) if abs(made) < _LARGE else None


def _still_longer(base: Input, old: object, new: object, rng: random.Random) -> Input:
    """At times with a text or list that was longer than a number longer by as much as the number grew.

    Who cuts a text to a width first asks whether it is longer: a larger width alone never comes further.
    """
    if type(old) is not int or type(new) is not int or not 0 <= old < new or rng.random() < 0.5:
        return base
    parts = [cast("str | list[object]", part) for path, part in places(base) if path and isinstance(part, (str, list))]
    sizes = sorted({len(part) for part in parts if len(part) > old})
    size = rng.choice(sizes) if sizes else 0
    return (_resize(base, size, size + new - old, rng) if sizes else None) or base


def _wanted(op: str, had: object, wanted: object, rng: random.Random) -> object:
    """What to write: the other operand, or something that stands to it as the operator asks."""
    if isinstance(wanted, bool):
        return wanted
    if isinstance(wanted, int) and op in {"<", "<=", ">", ">=", "==", "!="}:
        return wanted + rng.choice((-1, 0, 0, 1))
    if isinstance(wanted, float) and op in {"<", "<=", ">", ">=", "==", "!="}:
        return wanted + rng.choice((0.0, 0.0, 1.0, -1.0, 0.5))
    if op in {"in", "not in"} and isinstance(wanted, list):
        options = cast("list[object]", wanted)
        return rng.choice(options) if options else None
    if not isinstance(had, str):
        return wanted
    if isinstance(wanted, str):
        if op == "startswith":
            return rng.choice((wanted + had, wanted, wanted + " " + had))
        if op == "endswith":
            return rng.choice((had + wanted, wanted, had + " " + wanted))
        if op in {"contains", "find", "split", "count", "partition"}:
            place = rng.randrange(len(had) + 1)
            return rng.choice((had[:place] + wanted + had[place:], had + wanted, wanted + had))
    return wanted


def _write(base: Input, had: object, wanted: object, op: str, rng: random.Random) -> Input | None:
    exact: list[Path] = []
    inside: list[Path] = []
    loose: list[Path] = []
    for path, part in places(base):
        if not path:
            continue
        if type(part) is type(had) and part == had:
            exact.append(path)
        elif isinstance(had, str) and isinstance(part, str) and isinstance(wanted, str) and had:
            if had in part:
                inside.append(path)
            elif had.lower() == part.lower() or had == part.strip() or had.lower() in part.lower():
                loose.append(path)
        elif isinstance(had, (int, float)) and isinstance(part, str) and not isinstance(had, bool):
            if str(had) in part:
                inside.append(path)
        elif (
            isinstance(had, (int, float))
            and isinstance(part, (int, float))
            and not isinstance(part, bool)
            and part == had
        ):
            exact.append(path)
    if op.startswith("len"):
        return _resize(base, had, wanted, rng)
    if exact:
        return _still_longer(cast("Input", replaced(base, rng.choice(exact), _copied(wanted))), had, wanted, rng)
    if inside:
        path = rng.choice(inside)
        part = cast("str", _at(base, path))
        return cast("Input", replaced(base, path, part.replace(str(had), str(wanted), 1)))
    if loose:
        path = rng.choice(loose)
        part = cast("str", _at(base, path))
        start = part.lower().find(str(had).lower())
        new = part[:start] + str(wanted) + part[start + len(str(had)) :] if start >= 0 else str(wanted)
        return cast("Input", replaced(base, path, new))
    return None


def _holding(base: Input, container: object, member: object, rng: random.Random) -> Input | None:
    """The input with a member put into a sequence that was asked for it."""
    fitting = [
        (path, cast("list[object]", part))
        for path, part in places(base)
        if path and isinstance(part, list) and _lists(cast("object", part)) == container
    ]
    if not fitting:
        return None
    path, part = rng.choice(fitting)
    made: object = tuple(cast("list[object]", member)) if part and isinstance(part[0], tuple) else _copied(member)
    place = rng.randrange(len(part) + 1)
    return cast("Input", replaced(base, path, [*part[:place], made, *part[place:]]))


def _lists(value: object) -> object:
    """A value with lists for its tuples, as probes report it."""
    if isinstance(value, (list, tuple)):
        return [_lists(item) for item in cast("list[object]", value)]
    return value


def _fixed(value: object) -> object:
    """A value with tuples for its lists, as keys are."""
    return tuple(map(_fixed, cast("list[object]", value))) if isinstance(value, list) else value


def _copied(wanted: object) -> object:
    return list(cast("list[object]", wanted)) if isinstance(wanted, list) else wanted


def _at(value: object, path: Path) -> object:
    for step in path:
        value = cast("dict[object, object]", value)[step]
    return value


def _add_key(base: Input, keys: object, wanted: object, rng: random.Random) -> Input | None:
    """Give a map that lacks a key that key, with the value of another entry."""
    names = {str(_lists(key)) for key in cast("list[object]", keys)} if isinstance(keys, list) else set[str]()
    for path, part in places(base):
        if not path or not isinstance(part, dict):
            continue
        items = dict(cast("dict[object, object]", part))
        if {str(_lists(key)) for key in items} == names:
            values = list(items.values())
            try:
                items[_fixed(wanted)] = rng.choice(values) if values else rng.choice(("x", 1, True, "1"))
            except TypeError:
                return None
            return cast("Input", replaced(base, path, items))
    return None


def _resize(base: Input, had: object, wanted: object, rng: random.Random) -> Input | None:
    """Give a text or list the length that a comparison asked for."""
    if not isinstance(had, int) or not isinstance(wanted, int) or not 0 <= wanted <= 300:
        return None
    fitting = [
        (path, cast("str | list[object]", part))
        for path, part in places(base)
        if path and isinstance(part, (str, list)) and len(cast("str", part)) == had
    ]
    if not fitting:
        return _grown(base, had, wanted, rng)
    path, part = rng.choice(fitting)
    new: object
    if isinstance(part, str):
        new = part[:wanted] if wanted < had else part + "".join(rng.choice("abc 1") for _ in range(wanted - had))
    else:
        items = part
        if wanted < had:
            new = items[:wanted]
        else:
            if not items:
                return None
            new = items + [rng.choice(items) for _ in range(wanted - had)]
    return cast("Input", replaced(base, path, new))


def _grown(base: Input, had: int, wanted: int, rng: random.Random) -> Input | None:
    """Repeat a text or list, so that what is counted in it comes near a wanted number."""
    fitting = [
        (path, cast("str | list[object]", part))
        for path, part in places(base)
        if path and isinstance(part, (str, list)) and part
    ]
    if not fitting or wanted <= had:
        return None
    path, part = rng.choice(fitting)
    times = min(-(-(wanted + 1) // max(had, 1)), 200)
    new: object = (
        rng.choice((" ", "", "\n")).join([part] * times)[:4000] if isinstance(part, str) else (part * times)[:300]
    )
    return cast("Input", replaced(base, path, new))
