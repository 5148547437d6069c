"""What a program's own calls give to its helpers: which of their branches no call can take."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from pbt_generator.domain.oracle.proofs.abstract_values import ANY, FIXED, Value, joined
from pbt_generator.domain.oracle.proofs.interpretation import Interpretation
from pbt_generator.domain.oracle.syntax import FunctionNode, parameter_names

_ANY_NAME = {"globals", "locals", "vars", "eval", "exec"}


class Helpers:
    """The functions beside an entry, each walked over with what it is given anywhere.

    A helper that is handed on, decorated or called again by itself, or by what it calls, may be given anything.

    Args:
        module: The program.
        entry: The function that is called from outside.
        found: What the walk over it found.
    """

    def __init__(self, module: ast.Module, entry: FunctionNode, found: Interpretation) -> None:
        self._module = module
        self._entry = entry
        functions = [node for node in module.body if isinstance(node, ast.FunctionDef)]
        self._functions = {node.name: node for node in functions}
        self._nodes = list(ast.walk(module))
        parents = {id(child): node for node in self._nodes for child in ast.iter_child_nodes(node)}
        self._homes = {id(inner): node for node in functions for inner in ast.walk(node)}
        self._uses: dict[str, list[tuple[ast.Name, ast.AST | None]]] = {}
        for node in self._nodes:
            if isinstance(node, ast.Name) and node.id in self._functions:
                self._uses.setdefault(node.id, []).append((node, parents.get(id(node))))
        # Who calls the entry again may give it anything; who reads names from texts may call anything.
        told = any(isinstance(node, ast.Name) and node.id in _ANY_NAME for node in self._nodes)
        self._known = not told and entry.name not in self._uses
        self._found: dict[str, Interpretation | None] = {entry.name: found}
        self._open: set[str] = set()

    def walked(self, line: int) -> tuple[FunctionNode, Interpretation] | None:
        """The helper that a line belongs to, with what is known of it; None where nothing is."""
        for helper in self._functions.values():
            if helper is not self._entry and helper.lineno <= line <= (helper.end_lineno or 0):
                found = self._walk(helper)
                return None if found is None else (helper, found)
        return None

    def never_called(self, helper: FunctionNode) -> bool:
        """Whether control comes to no call of a helper."""
        given = self._given(helper)
        return given is not None and not given

    def _walk(self, helper: FunctionNode) -> Interpretation | None:
        if helper.name not in self._found:
            given = self._given(helper)
            self._found[helper.name] = None
            if given is not None:
                values = {
                    name: joined(*(one[name] for one in given)) if given else ANY for name in parameter_names(helper)
                }
                self._found[helper.name] = Interpretation(self._module, helper, given=values, whole=True)
        found = self._found[helper.name]
        return found if found is not None and found.understood else None

    def _given(self, helper: FunctionNode) -> list[Mapping[str, Value]] | None:
        """What each call that control comes to gives; None where that is not known."""
        written = [
            node
            for node in self._nodes
            if (isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name == helper.name)
            or (isinstance(node, ast.arg) and node.arg == helper.name)
            or (isinstance(node, ast.alias) and (node.asname or node.name) == helper.name)
            or (isinstance(node, ast.Name) and node.id == helper.name and not isinstance(node.ctx, ast.Load))
        ]
        if not self._known or helper.decorator_list or len(written) != 1 or helper.name in self._open:
            return None
        self._open.add(helper.name)
        try:
            found: list[Mapping[str, Value]] = []
            for name, call in self._uses.get(helper.name, ()):
                home = self._homes.get(id(name))
                if not (isinstance(call, ast.Call) and call.func is name) or home is None or home is helper:
                    return None
                given = self._call(helper, call, home)
                if given is not None:
                    found.append(given)
            return found
        finally:
            self._open.discard(helper.name)

    def _call(self, helper: FunctionNode, call: ast.Call, home: FunctionNode) -> Mapping[str, Value] | None:
        """What one call gives; None where control does not come to it."""
        around = self._walk(home)
        unknown = dict.fromkeys(parameter_names(helper), ANY)
        if around is None:
            return unknown
        if around.never(call):
            return None
        statement = around.homes.get(id(call))
        state = around.states.get(id(statement)) if statement is not None else None
        starred = any(isinstance(part, ast.Starred) for part in call.args)
        if state is None or starred or any(keyword.arg is None for keyword in call.keywords):
            return unknown
        arguments = helper.args
        positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
        given = dict(zip(positional, call.args, strict=False)) | {
            keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None
        }
        defaults = dict(zip(reversed(positional), reversed(arguments.defaults), strict=False)) | {
            argument.arg: default
            for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if default is not None
        }
        values = {name: _apart(around.value(node, dict(state))) for name, node in given.items() if name in unknown}
        values = {name: _apart(around.value(node, {})) for name, node in defaults.items()} | values
        return unknown | values


def _apart(value: Value) -> Value:
    """What is still known of a value under another name: of what may be changed in place, its kind alone."""
    return replace(value, measures="", items=None) if value.only(FIXED) else Value(value.kinds)


__all__ = ["Helpers"]
