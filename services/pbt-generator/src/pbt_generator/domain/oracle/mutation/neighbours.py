"""Library calls and their near neighbours: what people write in place of a call, and what is not the same.

Each rule is a pair of expressions of one line, `A`, `B` and `C` standing for any expression. A rule of the first table
makes a mutant that counts. A rule of the second says how another language, or a reader who thinks of ASCII only, reads
the same word: such a reading may be right for every input that a caller sends, so it does not count in the score; what
cases do to it stands in the certificate as evidence.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pbt_generator.domain.oracle.mutation.operators import pure
from pbt_generator.domain.oracle.proofs.patterns import parsed_pattern, tied_to_beginning
from pbt_generator.domain.oracle.syntax import FunctionNode, whole_number

_NEAR = r"""
A.split() -> A.split(' ')
A.split(' ') -> A.split()
A.split(B) -> A.split(B, 1)
A.split(B, C) -> A.rsplit(B, C)
A.rsplit(B, C) -> A.split(B, C)
A.splitlines() -> A.split('\n')
A.split('\n') -> A.splitlines()
A.startswith(B) -> B in A
A.endswith(B) -> B in A
A.replace(B, C) -> A.replace(B, C, 1)
A.count(B) -> int(B in A)
A.isupper() -> not A.islower()
A.islower() -> not A.isupper()
A.pop() -> A.pop(0)
A.pop(0) -> A.pop()
A.popleft() -> A.pop()
A.append(B) -> A.insert(0, B)
A.appendleft(B) -> A.append(B)
A.setdefault(B, C) -> A.get(B, C)
A.get(B, C) -> A.get(B) or C
A.weekday() -> A.isoweekday()
A.isoweekday() -> A.weekday()
A.search(B) -> A.match(B)
A.match(B) -> A.fullmatch(B)
re.search(A, B) -> re.match(A, B)
re.match(A, B) -> re.fullmatch(A, B)
re.search(A, B, C) -> re.match(A, B, C)
re.match(A, B, C) -> re.fullmatch(A, B, C)
A.sub(B, C) -> A.sub(B, C, 1)
re.sub(A, B, C) -> re.sub(A, B, C, count=1)
re.split(A, B) -> re.split(A, B, maxsplit=1)
A[0] -> A[-1]
A[-1] -> A[0]
A / B -> A // B
A is None -> not A
A is not None -> bool(A)
{**A, **B} -> {**B, **A}
sorted(A) -> sorted(set(A))
enumerate(A) -> enumerate(A, 1)
enumerate(A, 1) -> enumerate(A)
enumerate(A, start=1) -> enumerate(A)
repr(A) -> str(A)
round(A) -> int(A)
len(A.encode()) -> len(A)
len(A.encode(B)) -> len(A)
itertools.combinations(A, B) -> itertools.permutations(A, B)
itertools.permutations(A, B) -> itertools.combinations(A, B)
heapq.nlargest(A, B) -> heapq.nsmallest(A, B)
heapq.nsmallest(A, B) -> heapq.nlargest(A, B)
math.isclose(A, B) -> A == B
math.floor(A) -> int(A)
math.trunc(A) -> math.floor(A)
"""

_READINGS = r"""
case mapping | A.lower() -> A.casefold()
case mapping | A.casefold() -> A.lower()
case mapping | A.upper() -> ''.join(c.upper() if len(c.upper()) == 1 else c for c in A)
case mapping | A.capitalize() -> A[:1].upper() + A[1:].lower()
case mapping | A.title() -> ''.join(b.lower() if a.isalpha() else b.upper() for a, b in zip(' ' + A, A))
digits | A.isdigit() -> A.isdecimal()
digits | A.isdigit() -> A.isnumeric()
digits | A.isdigit() -> A.isascii() and A.isdigit()
digits | A.isdecimal() -> A.isascii() and A.isdecimal()
digits | A.isnumeric() -> A.isascii() and A.isnumeric()
ASCII digits | A in B -> (str(A).isdigit() and '~' < str(A) and len(str(A)) == 1 and '9' in B) or A in B
ASCII digits | A not in B -> not (str(A).isdigit() and '~' < str(A) and len(str(A)) == 1 and '9' in B) and A not in B
ASCII digits | '0' <= A <= '9' -> '0' <= A <= '9' or A.isdigit()
letters | A.isalpha() -> A.isascii() and A.isalpha()
letters | A.isalnum() -> A.isascii() and A.isalnum()
ASCII letters | A in B -> (str(A).isalpha() and '~' < str(A) and not {*'zZ'}.isdisjoint(B)) or A in B
ASCII letters | A not in B -> not (str(A).isalpha() and '~' < str(A) and not {*'zZ'}.isdisjoint(B)) and A not in B
ASCII letters | 'a' <= A <= 'z' -> 'a' <= A <= 'z' or (A.isalpha() and A.islower())
ASCII letters | 'A' <= A <= 'Z' -> 'A' <= A <= 'Z' or (A.isalpha() and A.isupper())
blanks | A.strip() -> A.strip(' ')
blanks | A.lstrip() -> A.lstrip(' ')
blanks | A.rstrip() -> A.rstrip(' ')
blanks | A.isspace() -> A.strip(' ') == ''
blanks | A.split() -> [part for part in A.split(' ') if part]
lines | A.splitlines() -> A.removesuffix('\n').split('\n') if A else []
numerals | int(A) -> int(A if type(A) is not str or (A == A.strip() and A[:1] != '+') else '')
numerals | float(A) -> float(A if type(A) is not str or (A == A.strip() and A[:1] != '+') else '')
lengths | len(A) -> len(A.encode('utf-16-le', 'surrogatepass')) // 2 if isinstance(A, str) else len(A)
bytes | len(A) -> len(A.encode('utf-8', 'surrogatepass')) if isinstance(A, str) else len(A)
division | A // B -> -(-A // B) if A // B < 0 else A // B
remainder | A % B -> A % B if isinstance(A, (str, bytes)) else A - B * (-(-A // B) if A // B < 0 else A // B)
halves | round(A) -> int(A + (0.5 if A >= 0 else -0.5))
halves | round(A, B) -> int(A * 10 ** B + (0.5 if A >= 0 else -0.5)) / 10 ** B if type(A) is float else round(A, B)
overflow | A * B -> (A * B + 2 ** 31) % 2 ** 32 - 2 ** 31 if type(A * B) is int else A * B
overflow | A + B -> (A + B + 2 ** 31) % 2 ** 32 - 2 ** 31 if type(A + B) is int else A + B
overflow | A ** B -> (A ** B + 2 ** 31) % 2 ** 32 - 2 ** 31 if type(A ** B) is int else A ** B
overflow | A << B -> ((A << B) + 2 ** 31) % 2 ** 32 - 2 ** 31 if type(A << B) is int else A << B
negative position | A[B] -> A[B] if isinstance(A, dict) or type(B) is not int or B >= 0 else None
negative position | A[:B] -> A[:B] if type(B) is not int or B >= 0 else A[:0]
negative position | A[B:] -> A[B:] if type(B) is not int or B >= 0 else A[:]
negative count | A * B -> A * B if not isinstance(A, (str, list)) or B >= 0 else None
equality | A == B -> A is B if isinstance(A, (list, dict)) else A == B
sizes | len(A) == B -> len(A) >= B
sizes | len(A) == B -> len(A) <= B
sizes | len(A) != B -> len(A) < B
sizes | len(A) != B -> len(A) > B
kinds | A == B -> str(A) == str(B)
text order | sorted(A) -> sorted(A, key=str)
truth | not A -> not A if type(A) not in (list, dict) else False
truth | A and B -> (A or (A if type(A) not in (list, dict) else True)) and B
truth | A or B -> A if A or type(A) in (list, dict) else B
truth is no number | isinstance(A, int) -> type(A) is int
slip | A == B -> _ts_equal_but_for_case(A, B)
slip | A != B -> not _ts_equal_but_for_case(A, B)
slip | A in B -> _ts_in_but_for_case(A, B)
slip | A not in B -> not _ts_in_but_for_case(A, B)
slip | A in B -> _ts_at_beginning(A, B)
slip | A in B -> _ts_in_by_words(A, B)
slip | A in B -> _ts_in_no_text(A, B)
slip | A.lower() -> _ts_ascii_lower(A)
slip | A.upper() -> _ts_ascii_upper(A)
slip | A.startswith(B) -> _ts_begins_but_for_case(A, B)
slip | A.endswith(B) -> _ts_ends_but_for_case(A, B)
slip | A.split(B) -> [c for c in A.split(B) if c]
slip | A.get(B) -> A.get(B) or None
slip | A is None -> not A
slip | A is not None -> bool(A)
slip | A[1:] -> _ts_begins_without(A, A[:1])
slip | A[:-1] -> _ts_ends_without(A, A[-1:])
slip | A.removeprefix(B) -> _ts_begins_without(A, B)
slip | A.removesuffix(B) -> _ts_ends_without(A, B)
"""
# A mistake that is no rule of any language: case ignored, what is empty taken for missing, all taken off for one.
SLIP = "slip"


@dataclass(frozen=True)
class Rule:
    """A pair of expressions; `reading` names the rule of another language, and is empty for a mutant that counts."""

    plain: ast.expr
    changed: ast.expr
    reading: str = ""


def _rules(text: str) -> list[Rule]:
    rules: list[Rule] = []
    for line in text.strip().splitlines():
        reading, _, rest = line.rpartition(" | ")
        plain, changed = (ast.parse(side, mode="eval").body for side in rest.split(" -> "))
        rules.append(Rule(plain, changed, reading))
    return rules


_RULES = _rules(_NEAR) + _rules(_READINGS)
_UNIQUE = r"(?:\w+\.)?(?:dict|Dict|\w*Mapping|OrderedDict|defaultdict|Counter|set|frozenset|\w*Set|KeysView)\b"
# Where an expression is asked for its truth by standing there.
_TESTED = _rules("""
truth | A -> A if type(A) not in (list, dict) else True
truth | A and B -> A and (B or type(B) in (list, dict))
truth | A or B -> A or B or type(B) in (list, dict)
""")


def neighbours(node: ast.expr, above: ast.AST | None, *, caught: bool = False) -> Iterator[tuple[str, ast.expr]]:
    """What stands in place of an expression by the rules, each with the reading that it is; empty for what counts.

    Args:
        node: The expression.
        above: What it stands in: some changes make no difference there.
        caught: Something may catch its errors: what raises is a case then.
    """
    for rule in _RULES:
        held = _matched(rule.plain, node, {})
        if held is not None and not _idle(node, rule, above, caught=caught):
            yield rule.reading, _filled(rule.changed, held)
    if isinstance(above, (ast.If, ast.While, ast.IfExp)) and _same_place(above.test, node):
        for rule in _TESTED:
            held = _matched(rule.plain, node, {})
            if held is not None and _may_be_empty(held.get("B", held["A"])):
                yield rule.reading, _filled(rule.changed, held)


def _same_place(node: ast.expr, other: ast.expr) -> bool:
    """Whether two nodes, one of which may be a copy, stand at one place."""
    return type(node) is type(other) and (node.lineno, node.col_offset) == (other.lineno, other.col_offset)


def _may_be_empty(node: ast.expr) -> bool:
    """Whether an expression may be a list or a map, as far as its form tells."""
    return isinstance(node, (ast.Name, ast.Subscript))


def may_differ(
    plain: ast.expr, reading: str, given: Collection[str], cut: Collection[str], maps: Collection[str]
) -> bool:
    """Whether a near neighbour can differ on values of the kinds that come to its place.

    Args:
        plain: The expression.
        reading: The rule that the neighbour follows; empty for a mutant that counts.
        given: Parameters; those of which the program asks whether they hold one item are left out.
        cut: Names of the parts of a text, those left out as well.
        maps: Parameters whose members are there once.
    """
    match plain:
        case ast.Call(func=ast.Name(id="sorted"), args=[ast.Name(id=name)]) if not reading:
            return name not in maps
        case ast.Subscript(value=ast.Name(id=name)) if not reading:
            # A local list is often made with one item, or with two; a text is cut in as many parts as it has.
            return name in given or name in cut
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Is() | ast.IsNot()]):
            # What else is None or not is mostly an object that is never false.
            return bool(reading) or name in given
        case _:
            # A reading may ask for its parts twice.
            return not reading or pure(plain)


def maps_among(function: FunctionNode | ast.Lambda) -> frozenset[str]:
    """Parameters that are maps or sets by their declaration, or by their methods: members are there once.

    Example:
        >>> sorted(maps_among(ast.parse("def f(a, b, c: dict[str, int]): return b.items(), a").body[0]))
        ['b', 'c']
    """
    arguments = [node for node in ast.walk(function.args) if isinstance(node, ast.arg)]
    found = {each.arg for each in arguments if each.annotation and re.match(_UNIQUE, ast.unparse(each.annotation))}
    for node in ast.walk(function):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr="items" | "keys" | "values" | "setdefault"):
                found.add(name)
            case _:
                pass
    return frozenset(found & {each.arg for each in arguments})


def measured_as_one(function: FunctionNode | ast.Lambda) -> frozenset[str]:
    """Names of which a test asks whether they hold one item: their first is their last."""
    found: set[str] = set()
    for node in ast.walk(function):
        match node:
            case ast.Compare(
                left=ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]), comparators=[ast.Constant(value=1)]
            ):
                found.add(name)
            case _:
                pass
    return frozenset(found)


# Fields of a node as the syntax tree gives them.
_Part = ast.AST | list[ast.expr] | str | int | None


def _matched(pattern: ast.AST, node: ast.AST, held: dict[str, ast.expr]) -> dict[str, ast.expr] | None:
    """What the letters of a pattern stand for in an expression; None where it is another expression."""
    match pattern, node:
        case ast.Name(id="A" | "B" | "C" as letter), ast.expr() if _stands_alone(node):
            return held | {letter: node}
        case _ if type(pattern) is not type(node):
            return None
        case _:
            pass
    for name in pattern._fields:
        first: _Part = getattr(pattern, name, None)
        second: _Part = getattr(node, name, None)
        if isinstance(first, ast.expr_context) or name in {"kind", "type_comment"}:
            continue
        if isinstance(first, ast.AST) and isinstance(second, ast.AST):
            found = _matched(first, second, held)
        elif isinstance(first, list) and isinstance(second, list):
            found = _all(first, second, held)
        else:
            found = held if first == second and type(first) is type(second) else None
        if found is None:
            return None
        held = found
    return held


def _stands_alone(node: ast.expr) -> bool:
    """Whether an expression may stand elsewhere: `*a` may not, nor may `:`, alone or among the places of an array."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return not isinstance(node, ast.Starred) and not any(isinstance(part, ast.Slice) for part in parts)


def _all(patterns: list[ast.expr], nodes: list[ast.expr], held: dict[str, ast.expr]) -> dict[str, ast.expr] | None:
    if len(patterns) != len(nodes):
        return None
    found: dict[str, ast.expr] | None = held
    for pattern, node in zip(patterns, nodes, strict=True):
        if pattern is None or node is None:  # pyright: ignore[reportUnnecessaryComparison]  a key of `{**A}` is None
            if pattern is not node:
                return None
            continue
        found = _matched(pattern, node, found) if found is not None else None
    return found


def _filled(changed: ast.expr, held: dict[str, ast.expr]) -> ast.expr:
    class Filler(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return copy.deepcopy(held[node.id]) if node.id in held else node

    return Filler().visit(copy.deepcopy(changed))


def _idle(node: ast.expr, rule: Rule, above: ast.AST | None, *, caught: bool) -> bool:
    """Whether a change makes no difference by its form, or where it stands."""
    changed = ast.unparse(rule.changed)
    match node:
        case ast.Call(func=ast.Attribute(attr="split"), args=[_]) if changed == "A.split(B, 1)":
            # Who unpacks two parts has no case with more of them, and who takes the first asks for no more.
            return _first(above) or (_unpacked(above) and not caught)
        case ast.Call(func=ast.Attribute(attr="get", value=table), args=[_, default]):
            # Another value in place of nothing, zero or the empty text: where the default is one of these, too little;
            # where a literal table holds none of these, none.
            full = isinstance(table, ast.Dict) and all(
                isinstance(value, ast.Constant) and bool(value.value) for value in table.values
            )
            return full or (isinstance(default, ast.Constant) and not default.value)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re")), args=[ast.Constant(value=str() as pattern), *_]):
            # What is tied to the beginning is found there, and once.
            return not changed.startswith("re.fullmatch") and _at_beginning(pattern, node)
        case ast.Call(func=ast.Attribute(attr="startswith" | "endswith"), args=[prefix]):
            return isinstance(prefix, ast.Tuple) or (rule.reading == SLIP and _caseless(prefix))
        case ast.Call(func=ast.Name(id="len"), args=[ast.Call(func=ast.Attribute(attr="encode"))]):
            return rule.reading != ""
        case ast.Call(func=ast.Name(id="sorted"), args=[value]) if not rule.reading:
            return _once(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return rule.reading != "" and not _may_be_empty(operand)
        case ast.BoolOp(values=[operand, *_]):
            return rule.reading != "" and not _may_be_empty(operand)
        case ast.Subscript() if rule.reading == SLIP:
            return not isinstance(node.ctx, ast.Load)
        case ast.Subscript() if rule.reading:
            # What the program writes down itself needs no rule.
            return not isinstance(node.ctx, ast.Load) or any(map(_written, ast.iter_child_nodes(node)))
        case ast.Subscript(value=value) if changed in {"A[-1]", "A[0]"}:
            return not isinstance(node.ctx, ast.Load) or not (isinstance(value, ast.Name) or parted(value))
        case ast.Subscript():
            return True
        case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str()) | ast.JoinedStr()):
            return True
        case ast.Compare(left=left, comparators=[right]):
            if rule.reading.startswith("ASCII"):
                return not _characters(right)
            if rule.reading == SLIP:
                return any(_caseless(side) for side in (left, right)) and not isinstance(
                    node.ops[0], (ast.Is, ast.IsNot)
                )
            if rule.reading == "sizes":
                # Nothing is shorter than what is empty.
                return whole_number(right) == 0
            if rule.reading == "equality":
                # A literal is itself nowhere else.
                return any(isinstance(side, (ast.Constant, ast.UnaryOp, ast.Tuple)) for side in (left, right))
            return isinstance(left, ast.Constant) and not rule.reading
        case ast.BinOp(left=left, right=right) if rule.reading == "overflow":
            small = [whole_number(side) for side in (left, right)]
            # A counter that goes up by one, and sums that start from a small number.
            return isinstance(node.op, (ast.Add, ast.Pow)) and any(n is not None and abs(n) < 100 for n in small)
        case _:
            return False


def _once(value: ast.expr) -> bool:
    """Whether members are there once by the form of an expression: those of a set, the keys of a map."""
    match value:
        case ast.Set() | ast.SetComp() | ast.Dict() | ast.DictComp():
            return True
        case ast.Call(func=ast.Name(id="set" | "frozenset") | ast.Attribute(attr="items" | "keys")):
            return True
        case _:
            return False


def _characters(node: ast.expr) -> bool:
    """Whether an expression may be all digits or all letters, as far as its form tells: written out, or a constant."""
    match node:
        case ast.Call(func=ast.Name(id="set" | "frozenset" | "list" | "tuple"), args=[inner]):
            return _characters(inner)
        case ast.BinOp(op=ast.Add() | ast.BitOr(), left=left, right=right):
            return _characters(left) or _characters(right)
        case ast.Constant(value=str() as text):
            return len(text) > 9
        case ast.Name(id=name):
            return name.isupper()
        case ast.Attribute(attr=name):
            return name.isupper() or name.endswith(("digits", "case", "letters", "printable"))
        case _:
            return False


def _caseless(node: ast.expr) -> bool:
    """Whether an expression is a literal that is the same in either case."""
    return isinstance(node, ast.Constant) and not (
        isinstance(node.value, str) and node.value.lower() != node.value.upper()
    )


def _written(node: ast.AST) -> bool:
    """Whether a place in a sequence, or a bound of a part of it, is a literal."""
    match node:
        case ast.Slice(lower=lower, upper=upper):
            return any(bound is not None and whole_number(bound) is not None for bound in (lower, upper))
        case ast.expr():
            return whole_number(node) is not None or isinstance(node, ast.Constant)
        case _:
            return False


def _at_beginning(pattern: str, call: ast.Call) -> bool:
    """Whether an expression without flags of its call is found at the beginning of a text only."""
    flagless = call.keywords == [] and len(call.args) <= (3 if _last(call.func) == "sub" else 2)
    parsed = parsed_pattern(pattern) if flagless else None
    return parsed is not None and tied_to_beginning(parsed)


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else ""


def _unpacked(above: ast.AST | None) -> bool:
    """Whether two names are given the parts of what stands there."""
    match above:
        case ast.Assign(targets=[ast.Tuple(elts=[first, second])]):
            return not isinstance(first, ast.Starred) and not isinstance(second, ast.Starred)
        case _:
            return False


def _first(above: ast.AST | None) -> bool:
    return isinstance(above, ast.Subscript) and whole_number(above.slice) == 0


def parted(value: ast.expr | None) -> bool:
    """Whether a call cuts a text in as many parts as there are: groups and pairs have a first and a last by design."""
    match value:
        case ast.Call(func=ast.Attribute(attr="split" | "rsplit"), args=args):
            return len(args) < 2
        case ast.Call(func=ast.Attribute(attr="splitlines" | "findall")):
            return True
        case _:
            return False
