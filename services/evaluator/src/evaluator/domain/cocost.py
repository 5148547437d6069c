"""CoCoST without its conversations: which parts are on, which calls try a draft, and the program that makes them.

Source: CoCoST (METHODS D): plan, search, draft, test inputs, execution, serialisation, refinement.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from touchstone_runtime.extraction import parse

PROBE = "touchstone_probe"
_COLLECT = "touchstone_collect"
# What errors of arguments that cannot be made are called before their own name.
UNMADE = "TouchstoneUnmade"
_OWN = f"""import copy


def given(make):
    try:
        positional, named = make()
    except (Exception, SystemExit) as error:
        raise type("{UNMADE}" + type(error).__name__, (Exception,), {{}})(str(error)) from None
    # What cannot be copied, as a generator, is passed on all the same.
    try:
        shown = copy.deepcopy([list(positional), named])
    except Exception:
        shown = None
    return shown, positional, named

"""
_TOLD = "def told(shown, result):\n    return"
_AS_IT_IS = f"{_TOLD} [shown, result]\n"
_SHOWN = f"{_TOLD} [shown, touchstone_shown(result), *touchstone_drawn()]\n"
# How languages define a function: with a word before its name, Go with a receiver, by an assignment, and as members of
# classes are written. A call before a block looks like the last: what holds one is not shown either.
# Heads are short: on a long line with many uses of a name each would else be read to the line's end.
_DEFINITIONS = (
    r"\b(?:def|class|function|func)\s+NAME\b",
    r"\bfunc\s*\([^()]*\)\s*NAME\b",
    r"\bNAME\s*(?::[^=\n]{0,200}=|[:=])\s*(?:async\b\s*)?(?:lambda\b|function\b|\([^()]*\)[^=\n]*=>|\w+\s*=>)",
    r"\bNAME\s*=\s*(?:staticmethod|classmethod|property|(?:functools\.)?partial)\s*\(",
    r"\bNAME\s*\((?:[^()]|\([^()]*\))*\)[^;{}\n]{0,200}\{",
)


class Part(StrEnum):
    """What can be left out for an ablation."""

    PLAN = "plan"
    SEARCH = "search"
    DOCUMENTS = "documents"
    INPUTS = "inputs"
    OUTPUT = "output"
    ERROR = "error"
    SERIALISE = "serialise"


@dataclass(frozen=True)
class Bounds:
    """How much CoCoST may do for one task; the defaults are the paper's.

    Attributes:
        searches: Queries to the knowledge base, one result each.
        inputs: Calls that try a draft.
        rounds: Refinements of a draft.
    """

    searches: int = 1
    inputs: int = 3
    rounds: int = 2


def parse_variant(text: str) -> frozenset[Part]:
    """Read which parts are left out.

    Args:
        text: Names of parts after `no-`, separated by commas: `no-search,no-inputs`; empty leaves out nothing.

    Raises:
        ValueError: There is no such part.

    Example:
        >>> sorted(parse_variant("no-search,no-inputs"))
        [<Part.INPUTS: 'inputs'>, <Part.SEARCH: 'search'>]
    """
    off: set[Part] = set()
    for word in filter(None, (word.strip() for word in text.split(","))):
        name = word.removeprefix("no-")
        if name == word or name not in {part.value for part in Part}:
            known = ", ".join(f"no-{part.value}" for part in Part)
            raise ValueError(f"no part of CoCoST is switched off by {word!r}; known are: {known}")
        off.add(Part(name))
    return frozenset(off)


def variant_text(off: Iterable[Part]) -> str:
    """The canonical text of a variant: inverse of `parse_variant`."""
    return ",".join(f"no-{part.value}" for part in sorted(off))


def usable_calls(proposed: Sequence[str], entry_point: str, limit: int) -> tuple[list[str], list[str]]:
    """Pick the calls that can try a draft.

    Args:
        proposed: Expressions as a model wrote them, one call of the entry point each; the bare arguments
            of a call are taken too when they are literals.
        entry_point: Name of the asked function.
        limit: How many to keep at most.

    Returns:
        The usable calls in their order without repetition, and a reason for each that is not.
    """
    usable: list[str] = []
    refused: list[str] = []
    for text in proposed:
        call = _call_of(text, entry_point)
        if call is None:
            refused.append(f"not one call of {entry_point}: {text[:80]!r}")
            continue
        if any(isinstance(node, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr) for node in ast.walk(call)):
            refused.append(f"more than a call: {text[:80]!r}")
            continue
        canonical = ast.unparse(call)
        if canonical in usable:
            continue
        if len(usable) < limit:
            usable.append(canonical)
    return usable, refused


def usable_arguments(proposed: Sequence[str], limit: int) -> tuple[list[str], list[str]]:
    """As `usable_calls`, where no expression of the language is evaluated: each is a JSON array of arguments.

    Example:
        >>> usable_arguments(["[1, 2]", "[1,2]", "f(3)"], 3)
        (['[1, 2]'], ["not a JSON array of arguments: 'f(3)'"])
    """
    usable: list[str] = []
    refused: list[str] = []
    for text in proposed:
        try:
            given: object = json.loads(text, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, list):
            refused.append(f"not a JSON array of arguments: {text[:80]!r}")
            continue
        canonical = json.dumps(given)
        if canonical not in usable and len(usable) < limit:
            usable.append(canonical)
    return usable, refused


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def probe_program(code: str, entry_point: str, calls: Sequence[str], showing: str = "") -> str:
    """A program whose function `touchstone_probe(n)` makes the n-th call and returns arguments and result.

    The arguments are copied before the call, so that a draft that changes them cannot hide what it got; what has no
    copy, as a generator, is shown as nothing. Where they cannot be made at all the name of the error begins with
    `UNMADE`. With no calls the program tells at least whether the draft can be loaded: the probe then returns nothing.
    The draft's names are its own, and stand for nothing of the probe.

    Args:
        code: The draft.
        entry_point: The asked function.
        calls: As `usable_calls` gives them.
        showing: The text of `harness/showing.py`, by which results become data that can be shown, and figures that were
            drawn follow the result; empty gives results as they are.
    """
    makers: list[str] = []
    for text in calls:
        call = _call(text)
        if call is None:
            raise ValueError(f"not a call: {text!r}")
        call.func = ast.Name(id=_COLLECT, ctx=ast.Load())
        makers.append(f"    lambda: {ast.unparse(call)},")
    # The probe's own names; a draft may have given builtins another meaning.
    own = "\n".join([_OWN, showing, _SHOWN if showing else _AS_IT_IS])
    lines = [
        code.rstrip("\n"),
        "",
        "",
        "touchstone_own = {}",
        f'__import__("builtins").exec({own!r}, touchstone_own)',
        "",
        "",
        f"def {_COLLECT}(*touchstone_positional, **touchstone_named):",
        "    return touchstone_positional, touchstone_named",
        "",
        "",
        f"{_COLLECT}_calls = [",
        *makers,
        "]",
        "",
        "",
        f"def {PROBE}(touchstone_number):",
        f"    if not {_COLLECT}_calls:",
        "        return None",
        f'    touchstone_given = touchstone_own["given"]({_COLLECT}_calls[touchstone_number])',
        f"    touchstone_result = {entry_point}(*touchstone_given[1], **touchstone_given[2])",
        '    return touchstone_own["told"](touchstone_given[0], touchstone_result)',
        "",
    ]
    return "\n".join(lines)


def leaks(code: str, names: Iterable[str]) -> bool:
    """Whether found code defines a function of one of these names: likely the task's own source, copied elsewhere."""
    return any(re.search(form.replace("NAME", re.escape(name)), code) for name in names for form in _DEFINITIONS)


def own_names(entry_point: str, qualname: str) -> tuple[str, ...]:
    """What a copy of a task's function may be called: as it is asked for, and as its author calls it.

    Args:
        entry_point: The name that solvers are told.
        qualname: The name in its source; of a special method its class tells more.

    Example:
        >>> own_names("rect_clipped", "Rect.clipped"), own_names("size_init", "Size.__init__")
        (('rect_clipped', 'clipped'), ('size_init', 'Size'))
    """
    parts = [part for part in qualname.split(".") if part and not (part.startswith("__") and part.endswith("__"))]
    return tuple(dict.fromkeys([entry_point, *parts[-1:]]))


def same_project(package: str, name: str, source: str) -> bool:
    """Whether documentation belongs to the project that a task comes from.

    Args:
        package: The distribution.
        name: What is documented; its first part is a module.
        source: The task's package or repository.

    Example:
        >>> same_project("python-dateutil", "dateutil.parser.parse", "dateutil/dateutil")
        True
    """
    project = _plain(source.rpartition("/")[2])
    return project in (_plain(package), _plain(name.partition(".")[0]))


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower().removesuffix("-git").removeprefix("python-")


def error_query(kind: str, message: str) -> str:
    """What to search for after an error: its type and its words, without addresses and numbers."""
    words = re.sub(r"0x[0-9a-fA-F]+|\d+", " ", message)
    return " ".join(f"{kind} {words}".split())[:200]


def _call_of(text: str, entry_point: str) -> ast.Call | None:
    call = _call(text)
    if call is not None and isinstance(call.func, ast.Name) and call.func.id == entry_point:
        return call
    bare = _call(f"{entry_point}({text})")
    if bare is None or not (bare.args or bare.keywords):
        return None
    literal = all(_is_literal(node) for node in [*bare.args, *(keyword.value for keyword in bare.keywords)])
    return bare if literal and isinstance(bare.func, ast.Name) else None


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return False
    return True


def _call(text: str) -> ast.Call | None:
    tree = parse(text.strip().rstrip(";"))
    if tree is None or len(tree.body) != 1:
        return None
    statement = tree.body[0]
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return statement.value
    return None
