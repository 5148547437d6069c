"""What an expression of a program is, as a phrase on the task's parameters: other names say nothing to a reader."""

from __future__ import annotations

import ast
import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from pbt_generator.domain.oracle.syntax import placed_parameters
from pbt_generator.domain.task.wording.held import Course, Giving

# So many steps from a parameter a reader still follows; what is further is told by the parameters that it comes of.
_STEPS = 3
# More parameters together say nothing of a value that is made of them.
_MOST_SOURCES = 3
# What is asked of a parameter's parameter, and so on, through helpers and names.
_DEPTH = 12
# A name that may hold more things than this is followed no further.
_MOST_HELD = 3
_SAME = {"list", "tuple", "iter"}
_CALLED = {
    "sorted": "{} in ascending order", "reversed": "{} in reverse order", "set": "the set of {}",
    "frozenset": "the set of {}", "int": "{} as an integer", "float": "{} as a number", "str": "{} as a text",
    "len": "the length of {}", "abs": "the absolute value of {}", "ord": "the code point of {}", "sum": "the sum of {}",
    "min": "the least of {}", "max": "the greatest of {}",
}  # fmt: skip
_ASKED = {
    "lower": "{} in lower case", "casefold": "{} in folded case", "upper": "{} in upper case",
    "strip": "{} without what is taken off its ends", "lstrip": "{} without what is taken off its beginning",
    "rstrip": "{} without what is taken off its end", "count": "how often something is in {}",
    "find": "a position in {}", "rfind": "a position in {}", "index": "a position in {}",
    **dict.fromkeys(("split", "rsplit", "partition", "rpartition"), "the list of pieces of {}"),
    "splitlines": "the list of lines of {}", "keys": "the list of keys of {}", "values": "the list of values of {}",
    "copy": "{}", "total_seconds": "the seconds of {}", "replace": "{} with replacements",
    "expandtabs": "{} with tabs expanded", "decode": "{} as a text", "encode": "the bytes of {}",
}  # fmt: skip
_COMPUTED: dict[type[ast.operator], str] = {
    ast.Mod: "the remainder of {} by {}", ast.Div: "{} divided by {}",
    ast.FloorDiv: "the quotient (rounded down) of {} by {}",
    ast.Mult: "{} times {}", ast.Add: "the sum of {} and {}", ast.Sub: "{} less {}",
}  # fmt: skip
_MANY = {f"the list of {each}s of ": f"a {each} of " for each in ("piece", "line", "key", "value")}
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ARTICLE = re.compile(r"^an? ")
# How an expression keeps what it is made of in its own place.
_AS_WELL = re.compile(r" (?:in (?:ascending|reverse) order|in (?:lower|upper|folded) case|with replacements)$")
# Methods that change what is in a list.
_CHANGES = {
    "sort", "reverse", "insert", "remove", "clear", "extend", "append", "appendleft", "popleft", "rotate", "pop",
}  # fmt: skip
# A name by way of itself: what it was before.
_ITSELF = "\0"


class Phrases:
    """Phrases on the expressions of a program.

    Args:
        tree: The program.
        named: The names of the task's parameters. Empty: those of every function.
        texts: Names of those that are texts.
    """

    def __init__(self, tree: ast.Module, named: Collection[str] = (), texts: Collection[str] = ()) -> None:
        self._texts = texts
        self._asked: set[tuple[str, str]] = set()
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        self._inside: dict[int, ast.FunctionDef | ast.AsyncFunctionDef] = {}
        for function in functions:
            self._inside.update({id(node): function for node in ast.walk(function)})
        self._helpers: dict[str, list[str]] = {}
        self._named: set[str] = set()
        for function in functions:
            own = [argument.arg for argument in _arguments(function)]
            if set(own) >= {*named}:
                self._named |= {*(named or own)}
            else:
                self._helpers[function.name] = own
        self._calls: defaultdict[str, list[ast.Call]] = defaultdict(list)
        self._read: defaultdict[int, list[ast.Name]] = defaultdict(list)
        self._given: defaultdict[tuple[str, str], list[Giving]] = defaultdict(list)
        self._handed: defaultdict[tuple[str, str], list[ast.expr]] = defaultdict(list)
        self._course = Course(tree)
        self._said: dict[tuple[int, int], str] = {}
        for node in ast.walk(tree):
            for target, value, how in _bindings(node):
                self._given[self._scope(target), target.id].append(Giving(node, value, how))
        helpers = {function.name: function for function in functions if function.name in self._helpers}
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Name(id=name)) if name in helpers:
                    self._calls[name].append(node)
                    self._hand(helpers[name], _handed(node, self._helpers[name]))
                case ast.FunctionDef(name=name) if name in helpers:
                    self._hand(node, _defaults(node))
                case _:
                    pass

    def _hand(self, helper: ast.FunctionDef | ast.AsyncFunctionDef, given: Iterator[tuple[str, ast.expr]]) -> None:
        for name, value in given:
            self._handed[helper.name, name].append(value)
            self._read[id(value)] += [
                node
                for node in ast.walk(helper)
                if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
            ]

    def reads(self, node: ast.expr) -> list[ast.Name]:
        """Where helpers of the program read a value that a call, or a default, gives them."""
        return self._read.get(id(node), [])

    def calls(self, node: ast.Return) -> list[ast.Call] | None:
        """Where the task's function uses what a helper gives back; None for what it gives back itself."""
        scope = self._scope(node)
        return [call for call in self._calls[scope] if not self._scope(call)] if scope else None

    def of(self, node: ast.expr) -> str:
        """A phrase on a value; one of the parameters that it comes of where no nearer one is short.

        Example:
            >>> tree = ast.parse("def f(s, n):\\n    for at, c in enumerate(s):\\n        k = g(c, n)\\n    return at")
            >>> phrases = Phrases(tree, ["s", "n"], ["s"])
            >>> [phrases.of(ast.Name(name)) for name in ("s", "c", "at", "k", "z")]
            ['`s`', 'a character of `s`', 'a position in `s`', 'a value made of `n` and `s`', 'a value']
        """
        if (said := self._of(node, _DEPTH)) and said.count(" of ") < _STEPS:
            return said
        comes_of = self.sources(node)
        return f"a value made of {comes_of}" if comes_of else "a value"

    def sources(self, node: ast.AST) -> str:
        """The parameters that a part of a program reads; empty where it reads none, or many."""
        told = [f"`{name}`" for name in sorted(self._sources(node, set()))]
        if len(told) > _MOST_SOURCES:
            return ""
        return " and ".join([", ".join(told[:-1]), told[-1]] if told[1:] else told)

    def _scope(self, node: ast.AST) -> str:
        function = self._inside.get(id(node))
        return function.name if function is not None and function.name in self._helpers else ""

    def _key(self, node: ast.AST, name: str) -> tuple[str, str]:
        """A name with the helper to which it belongs; a helper may read those of what is around it."""
        scope = self._scope(node)
        own = (scope, name) in self._given or name in self._helpers.get(scope, [])
        return scope if own else "", name

    def _of(self, node: ast.expr, depth: int) -> str:
        """The nearest phrase; empty for what has none."""
        if not depth:
            return ""
        match node:
            case ast.Name(id=name):
                return self._name(node, name, depth)
            case ast.Constant(value=str() | int() | float() as value):
                return f"`{json.dumps(value, ensure_ascii=False)}`"
            case ast.Attribute(value=value, attr=name):
                return _said(f"the `{name}` of {{}}", self._of(value, depth - 1))
            case ast.Call(func=ast.Name(id=name), args=[first], keywords=[]) if name in _SAME:
                return self._of(first, depth - 1)
            case ast.Call(func=ast.Name(id=name), args=[first], keywords=[]) if name in _CALLED:
                return _said(_CALLED[name], self._of(first, depth - 1))
            case ast.Call(func=ast.Attribute(value=value, attr="get"), args=[ast.Constant(value=str() as key), *_]):
                return _said(f"the entry `{json.dumps(key, ensure_ascii=False)}` of {{}}", self._of(value, depth - 1))
            case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in _ASKED:
                return _said(_ASKED[name], self._of(value, depth - 1))
            case ast.Subscript(value=value, slice=place):
                return self._part(self._of(value, depth - 1), place)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _COMPUTED:
                one, other = (self._operand(each, depth - 1) for each in (left, right))
                # What is done with texts is no arithmetic.
                numbers = one and other and '"' not in f"{one}{other}"
                return _COMPUTED[type(op)].format(one, other) if numbers else ""
            case ast.BoolOp(op=ast.Or(), values=[value, ast.Constant(value=other)]) if other:
                return _said(f"{{}} or else `{json.dumps(other, ensure_ascii=False)}`", self._of(value, depth - 1))
            case ast.NamedExpr(value=value) | ast.BoolOp(op=ast.Or(), values=[value, ast.Constant()]):
                return self._of(value, depth - 1)
            case _:
                return ""

    def _operand(self, node: ast.expr, depth: int) -> str:
        """A phrase on a part of a computation, in parentheses where it is computed itself."""
        said = self._of(node, depth)
        return f"({said})" if said and not re.fullmatch(r"[^ ]+|the (?:[a-z]+ )+of `\w+`", said) else said

    def _name(self, node: ast.AST, name: str, depth: int) -> str:
        if not self._course.knows(node) or self._asked:
            return self._held(node, name, depth)
        at = id(node), depth
        if at not in self._said:
            self._said[at] = self._held(node, name, depth)
        return self._said[at]

    def _held(self, node: ast.AST, name: str, depth: int) -> str:
        if self._course.is_of_lambda(node, name):
            return ""
        key = self._key(node, name)
        held = self._may_hold(node, key)
        if held:
            return _one(self._one_of(each, key, depth) for each in held)
        # Where nothing tells which of several values a name has, only what all of them are can be said.
        if key in self._asked:
            return _ITSELF
        self._asked.add(key)
        said = _one(self._one_of(each, key, depth) for each in (None, *self._given.get(key, [])))
        self._asked.discard(key)
        return said

    def _may_hold(self, node: ast.AST, key: tuple[str, str]) -> list[Giving | None]:
        """What a name may hold at a place, None for what its function was given; nothing where no few tell that."""
        given = self._given.get(key, [])
        if not given:
            return [None]
        held = self._course.held(node, given) if self._course.knows(node) else []
        return held if len(held) <= _MOST_HELD else []

    def _one_of(self, giving: Giving | None, key: tuple[str, str], depth: int) -> str:
        """A phrase on what a name was given at one place, or its function before."""
        scope, name = key
        if giving is not None:
            return self._bound(giving.value, giving.how, depth)
        if not scope and name in self._named:
            return f"`{name}`"
        # A name that nothing was given before says as little as one that is given itself.
        handed = self._handed.get(key, [])
        return _one(self._bound(value, "{}", depth) for value in handed) if handed else _ITSELF

    def _bound(self, value: ast.expr, how: str, depth: int) -> str:
        match how, value:
            case "{}", _:
                return self._of(value, depth - 1)
            case _, ast.Call(func=ast.Name(id="enumerate"), args=[held, *_]) if how != "an item":
                within = self._of(held, depth - 1)
                return (_said("a position in {}", within), self._item(within))[how != "0"]
            case _, ast.Call(func=ast.Attribute(value=held, attr="items")) if how != "an item":
                return _said(f"a {'key' if how == '0' else 'value'} of {{}}", self._of(held, depth - 1))
            case _, ast.Call(func=ast.Name(id="zip"), args=[*held]) if how.isdigit() and int(how) < len(held):
                return self._item(self._of(held[int(how)], depth - 1))
            case "an item", _:
                return self._item(self._of(value, depth - 1))
            case _:
                return ""

    def _item(self, within: str) -> str:
        for many, one in _MANY.items():
            if within.startswith(many):
                return one + within.removeprefix(many)
        texts = {f"`{name}`" for name in self._texts}
        plain = _AS_WELL.sub("", within).removeprefix("a part of ")
        letters = plain in texts or plain.startswith(("a piece of ", "a line of "))
        return _said("a character of {}" if letters else "an item of {}", within)

    def _part(self, within: str, place: ast.expr) -> str:
        one = self._item(within)
        match place:
            case ast.Constant(value=str() as key):
                return _said(f"the entry `{json.dumps(key, ensure_ascii=False)}` of {{}}", within)
            case ast.Constant(value=int() as at) if 0 <= at < len(_ORDINALS):
                return _ARTICLE.sub(f"the {_ORDINALS[at]} ", one)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)):
                return _ARTICLE.sub("the last ", one)
            case ast.Slice():
                return _said("a part of {}", within)
            case _:
                return one

    def _sources(self, node: ast.AST, seen: set[tuple[str, str]]) -> set[str]:
        """The parameters that a value comes of."""
        found: set[str] = set()
        for each in ast.walk(node):
            if not isinstance(each, ast.Name) or self._course.is_of_lambda(each, each.id):
                continue
            key = self._key(each, each.id)
            is_named = not key[0] and each.id in self._named
            held = (self._may_hold(each, key) if is_named else []) or [None, *self._given.get(key, [])]
            # What is changed in place, or added to, is made of what it was as well.
            if is_named and any(giving is None or giving.how == "?" for giving in held):
                found.add(each.id)
            if key not in seen:
                seen.add(key)
                made = [*(giving.value for giving in held if giving is not None), *self._handed.get(key, [])]
                found |= {name for value in made for name in self._sources(value, seen)}
        return found


def _arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.arg]:
    further = [each for each in (function.args.vararg, function.args.kwarg) if each is not None]
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs, *further]


def _handed(call: ast.Call, own: list[str]) -> Iterator[tuple[str, ast.expr]]:
    """The parameters of a helper, each with what a call gives it."""
    if not any(isinstance(each, ast.Starred) for each in call.args):
        yield from zip(own, call.args, strict=False)
    yield from ((each.arg, each.value) for each in call.keywords if each.arg in own)


def _defaults(function: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    for argument, default in placed_parameters(function.args):
        if default is not None:
            yield argument.arg, default
    for argument, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
        if default is not None:
            yield argument.arg, default


def _bindings(node: ast.AST) -> Iterator[tuple[ast.Name, ast.expr, str]]:
    """Names that a node binds, what they are bound to, and how: to it, to an item of it, to a place of each item."""
    match node:
        case ast.Assign(targets=[*targets], value=value):
            for target in targets:
                yield from _targets(target, value, "{}")
        case (
            ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value)
            | ast.NamedExpr(target=target, value=value)
        ):
            yield target, value, "{}"
        case ast.AugAssign(target=ast.Name() as target, value=value):
            yield target, value, "?"
        case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
            yield from _targets(target, value, "an item")
        case ast.With(items=[*items]):
            for item in items:
                if isinstance(item.optional_vars, ast.Name):
                    yield item.optional_vars, item.context_expr, "?"
        case ast.Call(func=ast.Attribute(value=ast.Name() as target, attr=name), args=[*given]) if name in _CHANGES:
            # An entry that is taken out of a map leaves the others.
            if name != "pop" or not given or (isinstance(given[0], ast.Constant) and isinstance(given[0].value, int)):
                yield target, node, "?"
        case _:
            pass


def _targets(target: ast.expr, value: ast.expr, how: str) -> Iterator[tuple[ast.Name, ast.expr, str]]:
    match target:
        case ast.Name():
            yield target, value, how
        case ast.Subscript(value=ast.Name() as changed):
            yield changed, value, "?"
        case ast.Tuple(elts=[*parts]) | ast.List(elts=[*parts]):
            values = value.elts if isinstance(value, ast.Tuple) and how == "{}" else []
            for place, part in enumerate(parts):
                if len(values) == len(parts):
                    yield from _targets(part, values[place], how)
                elif isinstance(part, ast.Name):
                    yield part, value, str(place) if how == "an item" else "an item"
        case _:
            pass


def _one(phrases: Iterable[str]) -> str:
    """The phrase of which all are that say more than the name itself; empty where they differ or one says nothing."""
    one = ""
    for each in phrases:
        if each == _ITSELF:
            continue
        if not each or _ITSELF in each or (one and one != each):
            return ""
        one = each
    return one


def _said(form: str, within: str) -> str:
    return form.replace("{}", within) if within else ""
