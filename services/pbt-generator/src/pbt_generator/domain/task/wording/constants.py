"""Values that decide results and that a reader could not guess, each said with what it is for."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Sequence

from pbt_generator.domain.oracle.syntax import ASKING, CATCHING, is_literal
from pbt_generator.domain.task.wording.doing import HERE
from pbt_generator.domain.task.wording.uses import SMALL, Uses, is_cut, is_form, quoted

# Constants that need no word: everybody tries them.
_OBVIOUS = (True, False, None, 0, 1, -1, 2, "", " ", 0.0, 1.0)
# A phrase on a parameter within a sentence; so many places of a text are told where the same thing is done with it.
_OF = re.compile(r"(?:\b(?:the|an?) [a-z ]*)?`\w+`(?: in (?:lower|upper|folded) case| as an? [a-z]+)?", re.IGNORECASE)
_MOST_PLACES = 4
_WITH_FALLBACK = {"get", "pop", "setdefault", "replace"}


def ground_truth(source: str) -> ast.Module:
    """The definitions of a program, its imports left out: the function, and what a slice took along.

    A number below 0 is one constant there, where the parser has a sign before a number.

    Example:
        >>> deciding_constants("def f(x):\\n    return x < -66.5\\n")
        [-66.5]
    """
    body = [node for node in ast.parse(source).body if not isinstance(node, ast.Import | ast.ImportFrom)]
    return _Signed().visit(ast.Module(body, []))


class _Signed(ast.NodeTransformer):
    """A program with the signs of its numbers in them."""

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)) if not isinstance(
                value, bool
            ):
                return ast.copy_location(ast.Constant(-value), node)
            case _:
                self.generic_visit(node)
                return node


def deciding_constants(source: str) -> list[object]:
    """Constants of a program that a reader could not guess, in order of appearance.

    Names of keys and separators count as much as numbers. Docstrings, messages of raised errors, and what tells which
    inputs are refused do not: those are not among the cases.

    Example:
        >>> deciding_constants("def f(x):\\n    if x > 17:\\n        raise ValueError('no')\\n    return x * 5\\n")
        [5]
    """
    found: list[object] = []
    for node in _deciding(ground_truth(source)):
        value = node.value
        if not any(value == each and type(value) is type(each) for each in (*_OBVIOUS, *found)):
            found.append(value)
    return found


def _constants(tree: ast.Module) -> list[ast.Constant]:
    skipped = {id(node) for raised in ast.walk(tree) if isinstance(raised, ast.Raise) for node in ast.walk(raised)}
    # Forms of numbers inside texts are no values; a rule says how numbers are written.
    forms = [node.format_spec for node in ast.walk(tree) if isinstance(node, ast.FormattedValue) and node.format_spec]
    skipped |= {id(node) for form in forms for node in ast.walk(form)}
    skipped |= {id(statement.value) for statement in ast.walk(tree) if isinstance(statement, ast.Expr)}
    skipped |= {id(node) for node in filter(None, map(_own_name, ast.walk(tree)))}
    for node in ast.walk(tree):
        noted = [node.annotation] if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation else []
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            noted += [each for each in (node.returns, *node.decorator_list) if each is not None]
        if isinstance(node, ast.arguments):
            # A default that is code is given by no case; what stands in it is no value of its own.
            defaults = filter(None, (*node.defaults, *node.kw_defaults))
            noted += [each for each in defaults if not is_literal(each)]
        skipped |= {id(inner) for each in noted for inner in ast.walk(each)}
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and id(node) not in skipped and isinstance(node.value, int | float | str)
    ]


def _own_name(node: ast.AST) -> ast.expr | None:
    """A text that is a name of the program's own: of an attribute, of a group of its pattern, of a variable for types.

    Example:
        >>> ast.unparse(_own_name(ast.parse("found.group('a')", mode="eval").body))
        "'a'"
    """
    match node:
        case ast.Call(func=ast.Name(id=name), args=[_, asked, *_]) if name in ASKING:
            return asked
        case ast.Call(func=ast.Attribute(attr="group"), args=[group]):
            return group
        case ast.Call(func=ast.Name(id="TypeVar" | "NewType"), args=[called, *_]):
            return called
        case _:
            return None


def _deciding(tree: ast.Module) -> list[ast.Constant]:
    skipped = {id(node) for part in _for_errors(tree) for node in ast.walk(part)}
    return [node for node in _constants(tree) if id(node) not in skipped]


def _for_errors(tree: ast.Module) -> list[ast.AST]:
    """Parts of a program that no input which returns needs: what is raised, texts for it, and when it is raised.

    Example:
        >>> source = "WORDS = 'no'\\ndef f(x):\\n    if x > 9:\\n        raise ValueError(WORDS)\\n    return x\\n"
        >>> [ast.unparse(part) for part in _for_errors(ast.parse(source))]
        ['raise ValueError(WORDS)', "WORDS = 'no'", 'x > 9']
    """
    nodes = list(ast.walk(tree))
    found: list[ast.AST] = [node for node in nodes if isinstance(node, ast.Raise)]
    found += [node.msg for node in nodes if isinstance(node, ast.Assert) and node.msg]
    inside = {id(node) for raised in found for node in ast.walk(raised)}
    raised = {node.id for node in nodes if isinstance(node, ast.Name) and id(node) in inside}
    for statement in nodes:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                names = [node for node in nodes if isinstance(node, ast.Name) and node.id == name]
                if name in raised and all(id(node) in inside for node in names if isinstance(node.ctx, ast.Load)):
                    found.append(statement)
            case _:
                pass
    # Where something catches, the function may go on after an error.
    if not any(isinstance(node, CATCHING) for node in nodes):
        for node in nodes:
            match node:
                case ast.If(test=test, body=[ast.Raise()], orelse=[]) | ast.Assert(test=test) if not any(
                    isinstance(part, ast.NamedExpr) for part in ast.walk(test)
                ):
                    found.append(test)
                case _:
                    pass
    return found


def possible_keys(source: str) -> set[str]:
    """Texts of a program that it may look up in a map: other keys of an input stand there by chance.

    A text that reaches a name may be looked up by it: as an argument, a default, or what a helper gives back. What a
    result alone is made with is not looked up.

    Example:
        >>> sorted(possible_keys("def f(x):\\n    return '%d!' % x['a'] if 'b' in x else x.get('c', 'none')\\n"))
        ['a', 'b', 'c']
        >>> sorted(possible_keys("def f(x, key='a'):\\n    return pick(x, 'b') + x[key]\\n"))
        ['a', 'b']
    """
    tree = ground_truth(source)
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    keys: set[int] = set()
    returned = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Return)}
    for node in ast.walk(tree):
        match node:
            case ast.Dict() if id(node) in returned:
                pass
            case ast.Subscript(slice=place):
                keys |= {id(each) for each in ast.walk(place)}
            case ast.Compare(ops=[*_], left=left, comparators=[*others]):
                keys |= {id(each) for part in (left, *others) for each in ast.walk(part)}
            case ast.Call(func=called_one, args=given, keywords=named):
                # The other argument of these is what is given where the key is missing.
                one = isinstance(called_one, ast.Attribute) and called_one.attr in _WITH_FALLBACK
                handed = [*given[: 1 if one else None], *(each.value for each in named)]
                keys |= {id(each) for part in handed for each in _alternatives(part)}
            case ast.arguments(defaults=defaults, kw_defaults=named_defaults):
                handed = [*defaults, *(each for each in named_defaults if each is not None)]
                keys |= {id(each) for part in handed for each in _alternatives(part)}
            case ast.FunctionDef(name=name) if name in called:
                given_back = [each.value for each in ast.walk(node) if isinstance(each, ast.Return) and each.value]
                keys |= {id(each) for part in given_back for each in _alternatives(part)}
            case (
                ast.Dict() | ast.List() | ast.Tuple() | ast.Set() | ast.For() | ast.comprehension()
                | ast.Assign() | ast.AnnAssign() | ast.NamedExpr() | ast.MatchMapping() | ast.MatchValue()
            ):  # fmt: skip
                keys |= {id(each) for each in ast.walk(node) if isinstance(each, ast.Constant)}
            case _:
                pass
    return {node.value for node in _constants(tree) if isinstance(node.value, str) and id(node) in keys}


def given_keys(source: str) -> set[str]:
    """Keys of the maps that a program gives back as it makes them.

    Example:
        >>> sorted(given_keys("def f(x):\\n    return {'a': 1} if x else {'b': {'c': 2}}\\n"))
        ['a', 'b']
    """
    returned = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Return) and node.value]
    made = [each for value in returned for each in _alternatives(value) if isinstance(each, ast.Dict)]
    keys = [key.value for each in made for key in each.keys if isinstance(key, ast.Constant)]
    return {key for key in keys if isinstance(key, str)}


def _alternatives(node: ast.expr) -> list[ast.expr]:
    """What an expression may give as it stands: itself, or each side of a choice."""
    match node:
        case ast.IfExp(body=one, orelse=other):
            return [*_alternatives(one), *_alternatives(other)]
        case ast.BoolOp(values=values):
            return [each for value in values for each in _alternatives(value)]
        case ast.NamedExpr(value=value):
            return _alternatives(value)
        case _:
            return [node]


def silent_constants(source: str) -> list[object]:
    """Constants of which an example tells nothing even where it holds them.

    Limits, tolerances, regular expressions, characters that are taken off, and members of what is told from all other
    values.

    Example:
        >>> silent_constants("def f(x):\\n    return re.sub('a+', 'b', x) if len(x) < 7 else x[3]\\n")
        [7, 'a+']
    """
    tree = ground_truth(source)
    uses = Uses(tree)
    found: list[object] = []
    for node in _deciding(tree):
        value, above = node.value, uses.above(node)
        ordered = isinstance(above, ast.Compare) and not isinstance(
            above.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn
        )
        telling = value not in _OBVIOUS
        limit = ordered and isinstance(value, int | float) and telling
        shown_by_none = limit or uses.is_pattern(node) or uses.is_stripped(node)
        if (shown_by_none or (telling and uses.is_member(node))) and value not in found:
            found.append(value)
    return found


def unexplained(source: str, values: Sequence[object]) -> list[object]:
    """Those of the values of which a sentence does not say enough to write the function from.

    A regular expression alone is code whose purpose nothing tells; what has no use that could be said is a riddle; of a
    table that is cut the rest is unknown.

    Example:
        >>> unexplained("def f(x):\\n    return re.sub('a+', '', x) + g(400)[x * 60]\\n", ["a+", 400, 60])
        ['a+', 400]
    """
    tree = ground_truth(source)
    uses = Uses(tree)
    found: list[object] = []
    for value in values:
        places = _places(tree, value)
        said = uses.of(places)
        if places and all(map(uses.is_default, places)):
            continue
        unsaid = not said and not _is_small(value) and not is_form(value)
        if (
            is_cut(value)
            or "…`" in said
            or unsaid
            or any(uses.is_pattern(each) or uses.is_template(each) for each in places)
        ):
            found.append(value)
    return found


def _places(tree: ast.Module, value: object) -> list[ast.Constant]:
    return [node for node in _deciding(tree) if node.value == value and type(node.value) is type(value)]


def _is_small(value: object) -> bool:
    return isinstance(value, int | float) and abs(value) <= SMALL and value == int(value)


def sentences(
    source: str, values: Sequence[object], named: Collection[str] = (), texts: Collection[str] = ()
) -> list[str]:
    """What the values are for, a sentence each, as the program uses them; small numbers without a use are left out.

    Args:
        source: The ground truth.
        values: Constants of it.
        named: The names of the task's parameters: other names of the program say nothing to a reader. Empty: any may
            be said.
        texts: Names of those that are texts.

    Example:
        >>> sentences("def f(s):\\n    return s.split(';') if len(s) > 40 else []\\n", [";", 40])
        ['`s` is split at `";"`.', 'It matters whether the length of `s` is above `40`.']
    """
    tree = ground_truth(source)
    uses = Uses(tree, named, texts)
    found: dict[str, list[str]] = {}
    rest: dict[str, list[str]] = {}
    for value in values:
        places = [node for node in _places(tree, value) if not uses.is_piece(node)]
        if not places or all(map(uses.is_default, places)):
            continue
        if told := _told(uses, places, value):
            for said in told:
                found.setdefault(said, []).append(quoted(value))
        elif not _is_small(value) and not is_form(value):
            rest.setdefault(uses.beside(places[0]), []).append(quoted(value))
    return [said.replace(HERE, _or(shown)) for said, shown in (*found.items(), *rest.items())]


def _told(uses: Uses, places: Sequence[ast.Constant], value: object) -> list[str]:
    """What a value is for; of a text at several places what is done with it at each, where that is the same thing."""
    said = [*dict.fromkeys(filter(None, (uses.of([place]) for place in places)))]
    most = _MOST_PLACES if isinstance(value, str) else 1
    return [each for each in said if _OF.sub("", each) == _OF.sub("", said[0])][:most]


def _or(shown: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
