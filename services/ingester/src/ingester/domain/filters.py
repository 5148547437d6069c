"""From a classified function to a task candidate: the filters in order, each with its words.

The first filter that refuses a function ends the matter. Duplicates need the platform's history and come later
(`usecases`).

Source: Code2Bench, section 2.1 and appendix C.
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass, replace
from typing import NamedTuple

from ingester.domain.control_flow import build_control_flow
from ingester.domain.data_flow import judge_returns
from ingester.domain.dependencies import Dependencies
from ingester.domain.effects import find_effects
from ingester.domain.extraction import ParameterText
from ingester.domain.libraries import Libraries
from ingester.domain.places import is_test, vendored
from ingester.domain.scopes import ScopeGraph, Site

# A function longer than this is no use to a reader, a model or an index.
_MOST_CHARACTERS = 100_000
# In the order in which they are asked; `touchstone funnel` shows them so.
FILTERS = (
    "dependencies",
    "test_code",
    "method",
    "async",
    "generator",
    "no_parameters",
    "no_return",
    "constant_return",
    "returns_code",
    "complexity",
    "dynamic",
    "side_effects",
    "nondeterminism",
    "own_library",
    "syntax",
    "unchanged",
    "duplicate_name",
    "duplicate_tree",
    "near_duplicate",
)


class Rejection(NamedTuple):
    """The filter that refused a function, and its words."""

    by: str
    words: str


@dataclass(frozen=True, slots=True)
class Limits:
    """What the filters are set to. `own_names` are the import names of the source itself."""

    least_complexity: int = 2
    # Above ten a task stands in the hard band, apart from the others.
    most_complexity: int = 20
    # Of a slice: all its functions together.
    most_slice_complexity: int = 30
    own_names: frozenset[str] = frozenset()


class Subject(NamedTuple):
    """A function with everything that the filters ask about."""

    graph: ScopeGraph
    site: Site
    code: str
    parameters: tuple[ParameterText, ...]
    dependencies: Dependencies
    complexity: int


def judge(subject: Subject, libraries: Libraries, limits: Limits) -> Rejection | None:
    """The first filter that refuses the function; none for a candidate (duplicates aside)."""
    return (
        _dependencies(subject)
        or _form(subject)
        or _returns(subject)
        or _complexity(subject, limits)
        or _effects(subject, libraries)
        or _own_library(subject, limits)
        or _syntax(subject)
    )


def judge_slice(subject: Subject, effect: tuple[str, str], limits: Limits) -> Rejection | None:
    """The first filter that refuses a function with what it needs; none for a candidate (duplicates aside).

    Args:
        subject: The function, with code, dependencies and complexity of the whole slice.
        effect: The first thing that a part of it does besides computing, as filter and words.
        limits: What the filters are set to.
    """
    by, words = effect
    return (
        _form(subject)
        or _returns(subject)
        or _complexity(subject, replace(limits, most_complexity=limits.most_slice_complexity))
        or (Rejection(by, words) if by else None)
        or _own_library(subject, limits)
        or _syntax(subject)
    )


def judge_place(path: str, *, skip_tests: bool = True) -> Rejection | None:
    """The filter that refuses what lies at a place, whatever it is; none where candidates may lie.

    Args:
        path: Of the file, from the top of its source.
        skip_tests: Whether what belongs to tests, documentation or examples is refused.

    Example:
        >>> judge_place("src/_vendor/six.py").by, judge_place("src/six.py")
        ('vendored', None)
    """
    if skip_tests and is_test(path):
        return Rejection("test_file", path)
    copied = vendored(path)
    return Rejection("vendored", f"lies under {copied}/, copied from elsewhere") if copied else None


def judge_length(code: str) -> Rejection | None:
    """The filter that refuses what is longer than others are told of; none for all else.

    Example:
        >>> judge_length("x" * 100_001).by, judge_length("x")
        ('too_long', None)
    """
    length = len(code)
    if length <= _MOST_CHARACTERS:
        return None
    return Rejection("too_long", f"has {length} characters, more than {_MOST_CHARACTERS}")


def _dependencies(subject: Subject) -> Rejection | None:
    if subject.dependencies.kind != "DISCARDED":
        return None
    reason = subject.dependencies.reasons[0]
    more = len(subject.dependencies.reasons) - 1
    others = f" (and {more} more)" if more else ""
    return Rejection("dependencies", f"line {reason.line}: {reason.reference} {reason.why}{others}")


def _form(subject: Subject) -> Rejection | None:
    site = subject.site
    line = subject.graph.line(site.node.start_byte)
    if site.name.startswith("test_"):
        return Rejection("test_code", f"line {line}: is a test")
    if site.form == "method" and not _is_static(subject):
        return Rejection("method", f"line {line}: works on an instance or a class")
    if site.name.startswith("__") and site.name.endswith("__"):
        return Rejection("method", f"line {line}: is called by the language, not by its name")
    if site.is_async:
        return Rejection("async", f"line {line}: is a coroutine")
    if site.has_yield:
        return Rejection("generator", f"line {line}: yields values instead of returning one")
    if not subject.parameters:
        return Rejection("no_parameters", f"line {line}: takes no input")
    return None


def _is_static(subject: Subject) -> bool:
    """A static method is a function that happens to stand in a class."""
    source = subject.graph.source
    return [source[node.start_byte : node.end_byte].lstrip(b"@").strip() for node in subject.site.decorators] == [
        b"staticmethod"
    ]


def _returns(subject: Subject) -> Rejection | None:
    names = {parameter.name for parameter in subject.parameters}
    flow = build_control_flow(subject.site.body, subject.graph.decisions)
    verdict = judge_returns(subject.graph, subject.site, flow, names)
    line = verdict.line or subject.graph.line(subject.site.node.start_byte)
    if not verdict.returns_value:
        return Rejection("no_return", f"line {line}: no path returns a value")
    if not verdict.derived:
        return Rejection("constant_return", f"line {line}: what it returns does not depend on its parameters")
    if verdict.returns_code:
        return Rejection("returns_code", f"line {line}: returns a function, a class or an iterator")
    return None


def _complexity(subject: Subject, limits: Limits) -> Rejection | None:
    found = subject.complexity
    least, most = limits.least_complexity, limits.most_complexity
    if least <= found <= most:
        return None
    return Rejection("complexity", f"cyclomatic complexity {found} is outside {least} to {most}")


def _effects(subject: Subject, libraries: Libraries) -> Rejection | None:
    uses = subject.dependencies.uses
    effects = find_effects(subject.graph, subject.site, uses, subject.parameters, libraries)
    for kind in ("dynamic", "side_effects", "nondeterminism"):
        for effect in effects:
            if effect.kind == kind:
                return Rejection(kind, f"line {effect.line}: {effect.what}")
    return None


def _own_library(subject: Subject, limits: Limits) -> Rejection | None:
    own = limits.own_names & {library.partition(".")[0] for library in subject.dependencies.libraries}
    if own:
        return Rejection("own_library", f"uses {sorted(own)[0]}, the library that it is a part of")
    return None


def _syntax(subject: Subject) -> Rejection | None:
    """The text must be a program of the Python that tasks run on; it is parsed, never run."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse("\n".join((*subject.dependencies.imports, subject.code)))
    except SyntaxError as error:
        return Rejection("syntax", f"line {error.lineno}: {error.msg}")
    except (ValueError, RecursionError, MemoryError) as error:
        return Rejection("syntax", f"cannot be parsed alone: {error}")
    return None
