"""A task that somebody else made: their ground truth and their inputs, judged here.

It is no task of ours: nothing was searched, measured or worded, and it is never mixed with ours.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from pbt_generator.domain.oracle.certificate import VERSION, Trial
from touchstone_runtime.source_kinds import BENCHMARK

# Tasks of every version of the importer have builders that begin so.
IMPORTERS = "import/"
IMPORTER = f"{IMPORTERS}2"
# What nobody measured, as certificates and events say it.
NOT_MEASURED = -1.0


def measured(figure: float) -> float | None:
    """A figure as exports tell it, to whoever takes means of them: none where nobody measured it."""
    return None if figure == NOT_MEASURED else figure


@dataclass(frozen=True)
class ForeignSet:
    """Whose tasks these are.

    Attributes:
        name: Name of the set, for example "HumanEval+".
        version: Its version; another version is another set.
        licence: SPDX expression, as its makers state it.
        origin: Where it was taken from, for people.
    """

    name: str
    version: str
    licence: str
    origin: str = ""


@dataclass(frozen=True)
class ForeignTask:
    """One task of such a set.

    Attributes:
        foreign_id: Its id there, for example "HumanEval/0".
        entry_point: The function that candidates define.
        source: The ground truth, a whole program.
        asserting: The same with assertions of what an input must be; empty where the set has none.
        instruction: What a solver is told.
        signature: The head of the function in Python.
        prelude: What a candidate is given before its own code.
        inputs: Portable texts: an array of arguments, or an object of named ones.
        expected: What the set expects of each input; empty where it expects what the ground truth gives.
        wording: Which kind of words it has, where the set says so; empty where a person wrote them.
    """

    foreign_id: str
    entry_point: str
    source: str
    instruction: str
    signature: str
    inputs: tuple[str, ...]
    asserting: str = ""
    prelude: str = ""
    expected: tuple[str, ...] = ()
    wording: str = ""


@dataclass(frozen=True)
class ForeignCertificate:
    """What was shown of such a task: its ground truth passes. Coverage and mutants are not measured.

    Attributes:
        suite_digest: The frozen suite.
        trials: The ground truth's, each of which must pass.
        weak: Known-wrong programs that pass all the same: what the set's own inputs do not tell apart.
        left_out: Why inputs of the set are not in the suite, with how many.
        set: Whose task it is.
        foreign_id: Its id there.
    """

    suite_digest: str
    trials: tuple[Trial, ...]
    set: ForeignSet
    foreign_id: str
    weak: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    builder: str = field(default=IMPORTER, init=False)

    def to_dict(self) -> dict[str, Any]:
        """The certificate as data."""
        return {
            "version": VERSION,
            "holds": all(trial.as_it_should for trial in self.trials),
            "suite_digest": self.suite_digest,
            "builder": self.builder,
            "trials": [vars(trial) for trial in self.trials],
            "languages": ["python"],
            "raising_inputs": [],
            "imported": {**vars(self.set), "foreign_id": self.foreign_id},
            "weak": list(self.weak),
            "left_out": list(self.left_out),
        }


def defines(source: str, entry_point: str) -> bool:
    """Whether a program can be read and defines a function."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError):
        return False
    return any(isinstance(node, ast.FunctionDef) and node.name == entry_point for node in body)


def contract_of(foreign: ForeignTask) -> str:
    """A set's assertions without the ground truth that follows them: what that asserts itself is its own affair.

    Returns:
        A program whose function gives nothing; the whole program where it cannot be read.
    """
    try:
        module = ast.parse(foreign.asserting)
        function, truth = _function(module, foreign.entry_point), _function(foreign.source, foreign.entry_point)
    except (SyntaxError, ValueError, RecursionError, IndexError):
        return foreign.asserting
    body, own = ([ast.dump(node) for node in each.body] for each in (function, truth))
    shared = 0
    while shared < min(len(body), len(own)) and body[-1 - shared] == own[-1 - shared]:
        shared += 1
    function.body = [*function.body[: len(body) - shared], ast.Pass()]
    return ast.unparse(module)


def _function(program: str | ast.Module, entry_point: str) -> ast.FunctionDef:
    body = (ast.parse(program) if isinstance(program, str) else program).body
    return [node for node in body if isinstance(node, ast.FunctionDef) and node.name == entry_point][-1]


def set_of(function: dict[str, Any]) -> str:
    """Name and version of the set that a function's record was imported from; empty for one of our own."""
    source: dict[str, Any] = function.get("source") or {}
    return f"{source.get('name')} {source.get('version')}" if source.get("kind") == BENCHMARK else ""
