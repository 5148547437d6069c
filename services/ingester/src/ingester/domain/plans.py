"""What each method of a class uses of its object, and what follows for the methods that call it.

A method that calls another one takes the fields that this one needs. Where the other one changes the object, the
caller hands the fields over and takes them back: `self.skip()` becomes `pos = reader_skip(text, pos)["pos"]`. That is
exact where what is held between the two can be seen by nobody else: no function inside reads a field that is changed,
nothing catches what the other one raises half way, and no arguments are still to be computed when fields are handed on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from tree_sitter import Node

from ingester.domain import changing
from ingester.domain.classes import Member
from ingester.domain.grammar import kind_set

MOST_FIELDS = 8
Use = Literal["field", "constant", "property", "method", "class"]
_INSIDE = kind_set("function_definition", "lambda", "class_definition", "generator_expression")
_AT_ONCE = kind_set("list_comprehension", "set_comprehension", "dictionary_comprehension")
_CATCHING = kind_set("try_statement", "with_statement")
_EXPRESSION_STATEMENT = kind_set("expression_statement")
_INTERPOLATION = kind_set("interpolation")
_TYPE = kind_set("type")


class Read(NamedTuple):
    """One place where a method uses its object or its class: what stands there, and what it is."""

    start: int
    end: int
    use: Use
    name: str
    # Of a call: where its arguments begin, and whether there are any.
    arguments: int = -1
    given: bool = False
    # What stands there: of a call the whole of it.
    node: Node | None = None

    @property
    def calls(self) -> bool:
        """Whether a method or a property is run."""
        return self.use in ("method", "property")


@dataclass(slots=True)
class Plan:
    """What a method uses of its object.

    Attributes:
        member: The method.
        receiver: The name of its object.
        first: The parameter of that name.
        reads: Where it uses its object.
        fields: What it takes: the fields that it, or a method that it calls, reads before they are stored.
        changed: The fields that it, or a method that it calls, stores to or changes in place.
        problem: Why it is no function.
    """

    member: Member
    receiver: str
    first: Node | None
    reads: list[Read] = field(default_factory=list[Read])
    fields: list[str] = field(default_factory=list[str])
    changed: list[str] = field(default_factory=list[str])
    problem: str = ""

    def places(self, use: Use, name: str) -> list[int]:
        """Where it uses something in one way."""
        return [read.start for read in self.reads if read.use == use and read.name == name]


def spread(plans: Mapping[str, Plan], order: list[str]) -> None:
    """Give every method the fields, the changes and the problems of those that it calls.

    Args:
        plans: The methods of a class by name; what each does itself is known. They are filled.
        order: The fields in the order of the class.
    """
    growing = True
    while growing:
        growing = False
        for plan in plans.values():
            growing |= not plan.problem and _take_over(plan, plans)
    growing = True
    while growing:
        growing = False
        for plan in plans.values():
            new = [name for name in order if name not in plan.fields and _is_needed(plan, name, plans)]
            plan.fields += new
            growing |= bool(new)
    for plan in plans.values():
        plan.fields.sort(key=order.index)
        plan.changed.sort(key=order.index)
        if plan.problem:
            continue
        if len(plan.fields) > MOST_FIELDS:
            plan.problem = f"reads more than {MOST_FIELDS} fields"
        elif plan.changed and plan.fields and plan.member.site.name == "__init__":
            plan.problem = "reads a field that is not stored on every way before"


def _take_over(plan: Plan, plans: Mapping[str, Plan]) -> bool:
    """The problems and changes of what a method calls; says whether anything is new."""
    before = len(plan.changed)
    for read in plan.reads:
        if not read.calls:
            continue
        other = plans[read.name]
        if other.problem:
            plan.problem = f"calls {read.name}, which {other.problem}"
            return True
        if other.changed and (why := _not_handed(plan, read, other, plans)):
            plan.problem = f"calls {read.name}, which changes its object, {why}"
            return True
        plan.changed += [name for name in other.changed if name not in plan.changed]
    if plan.changed and (why := _not_given(plan, plans)):
        plan.problem = why
    return len(plan.changed) > before or bool(plan.problem)


def _not_given(plan: Plan, plans: Mapping[str, Plan]) -> str:
    """Why a method that changes its object cannot give what it holds afterwards; empty where it can."""
    if plan.member.kind not in ("method", "property", "setter"):
        return "changes its object"
    if reason := changing.problem(plan.member.site.node):
        return f"changes its object and {reason}"
    told = [each.strip("_") for each in plan.changed]
    if len({*told, changing.RESULT}) <= len(told):
        return "changes fields whose names cannot be told apart"
    called = (plans[read.name] for read in plan.reads if read.calls)
    kept = {name for other in called for name in (*_kept(other, plans), *_kept_below(other, plans))}
    if found := sorted(kept & set(plan.changed)):
        # The function would go on reading what the field held when it was made.
        return f"changes {found[0]}, which a function made by what it calls reads"
    return ""


def _not_handed(plan: Plan, read: Read, other: Plan, plans: Mapping[str, Plan]) -> str:
    """Why fields cannot be handed to a method that changes them, and taken back; empty where they can."""
    if read.name == "__init__":
        return "and is its constructor"
    if read.node is None:
        return "where nothing is run"
    for above in _above(read.node, plan.member.site.node):
        kind = above.kind_id
        if kind in _INSIDE or kind in _AT_ONCE:
            return "in a function or a loop inside of an expression"
        if kind in _CATCHING:
            return "where what it raises may be caught"
        if kind in _INTERPOLATION or kind in _TYPE:
            return "inside of a text or an annotation"
    for outer in plan.reads:
        if outer is read or outer.node is None or outer.use != "method":
            continue
        if plans[outer.name].member.kind == "method" and outer.arguments <= read.start < outer.node.end_byte:
            # The fields are handed on before the arguments are computed.
            return f"in the arguments of {outer.name}"
    if not set(other.changed).isdisjoint(_kept(plan, plans)):
        return "while a function inside reads a field"
    return ""


def _kept(plan: Plan, plans: Mapping[str, Plan]) -> Iterator[str]:
    """Fields that functions inside of a method read, whenever they are called."""
    for read in plan.reads:
        if read.node is None or not any(each.kind_id in _INSIDE for each in _above(read.node, plan.member.site.node)):
            continue
        if read.use == "field":
            yield read.name
        elif read.calls:
            for name in _reached([read.name], plans):
                yield from (each.name for each in plans[name].reads if each.use == "field")


def _kept_below(plan: Plan, plans: Mapping[str, Plan]) -> Iterator[str]:
    """What functions inside of the methods that one calls read."""
    for name in _reached([read.name for read in plan.reads if read.calls], plans):
        yield from _kept(plans[name], plans)


def _reached(names: Iterable[str], plans: Mapping[str, Plan]) -> set[str]:
    """Methods with all that they call, and what these call."""
    found, waiting = set[str](), [*names]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [read.name for read in plans[name].reads if read.calls]
    return found


def _above(node: Node, function: Node) -> Iterator[Node]:
    """What a place of a function lies in, the function left out."""
    above = node.parent
    while above is not None and above != function:
        yield above
        above = above.parent


def _is_needed(plan: Plan, name: str, plans: Mapping[str, Plan]) -> bool:
    """Whether a method takes a field: it, or what it calls, may read it before it is stored."""
    places = plan.places("field", name)
    storing: list[Node] = []
    for read in plan.reads:
        other = plans.get(read.name) if read.calls else None
        if other is None:
            continue
        if name in other.fields:
            places.append(read.start)
        elif name in other.changed and read.node is not None:
            storing.append(read.node)
    if not places and not storing:
        return False
    return name not in plan.changed or not changing.is_stored_first(plan.member.site.node, places, storing)


# Text.


class TakenBack(NamedTuple):
    """What to write around a call of a method that changes its object: before it, and behind it."""

    before: str
    behind: str


def taken_back(node: Node, held: Mapping[str, str], moved: str, source: bytes, margin: int, *, says: bool) -> TakenBack:
    """How a call hands fields over and takes them back.

    Args:
        node: The call, or the property.
        held: The local name of each field that is changed, by its key in the map that the function gives.
        moved: A name that nothing else has.
        source: The file.
        margin: By how many bytes lines of the method are moved to the left.
        says: Whether the map has a result.
    """
    statement = node.parent
    if statement is None or statement.kind_id not in _EXPRESSION_STATEMENT or statement.named_child_count != 1:
        told = "".join(f', {name} := {moved}["{key}"]' for key, name in held.items())
        result = f'{moved}["{changing.RESULT}"]' if says else "None"
        return TakenBack(f"({moved} := ", f"{told}, {result})[-1]")
    if len(held) == 1:
        ((key, name),) = held.items()
        return TakenBack(f"{name} = ", f'["{key}"]')
    before = source[source.rfind(b"\n", 0, statement.start_byte) + 1 : statement.start_byte]
    between = f"\n{before[margin:].decode()}" if not before.strip() else "; "
    return TakenBack(f"{moved} = ", "".join(f'{between}{name} = {moved}["{key}"]' for key, name in held.items()))
