"""Tasks of classes whose state is driven by operations."""

from __future__ import annotations

import ast
from typing import Literal

import pytest

from pbt_generator.adapters.publisher import to_subject
from pbt_generator.domain.exercises.given import given_beside
from pbt_generator.domain.inputs.domains.domain import input_domain
from pbt_generator.domain.inputs.drawing.sampling import Sampler
from pbt_generator.domain.inputs.drawing.strategies import draw_inputs
from pbt_generator.domain.inputs.drawing.variation import Variation
from pbt_generator.domain.inputs.inference.signature import input_shape, read_program
from pbt_generator.domain.inputs.operations import with_operations
from pbt_generator.domain.inputs.shapes import IntShape, ListShape, OperationShape, UnionShape, options_of
from pbt_generator.domain.oracle.driver import driver_of
from pbt_generator.domain.oracle.mutation.mutants import mutate
from pbt_generator.domain.task.record import BuiltTask, Subject
from pbt_generator.domain.task.wording.operations import operation_rules
from pbt_generator.ports import Blobs
from pbt_generator.usecases.build import Workshop
from pbt_generator.usecases.tasks import TaskBuilder
from touchstone_contracts.events import Function, SourceRef

CACHE = '''
class RecentCache:
    """Keeps the values that were used last."""

    def __init__(self, size: int):
        self.size = size
        self._held = {}

    def get(self, key: str, default: int = -1) -> int:
        """Give the value of a key, which thereby is the last one used.

        Args:
            key: What to look for.

        Returns:
            The value, or the default.
        """
        if key not in self._held:
            return default
        value = self._held.pop(key)
        self._held[key] = value
        return value

    def put(self, key: str, value: int) -> None:
        """Keep a value; the one that was used longest ago makes way."""
        if key in self._held:
            del self._held[key]
        self._held[key] = value
        if len(self._held) > self.size:
            del self._held[next(iter(self._held))]

    @property
    def keys(self) -> list[str]:
        """The keys in order of their use."""
        return list(self._held)


def recent_cache_operations(operations, size: int):
    driven = RecentCache(size)
    methods = {"get": driven.get, "put": driven.put, "keys": lambda: driven.keys}
    return [deepcopy(methods[name](*given)) for name, *given in operations]
'''
IMPORTS = ("from copy import deepcopy",)
NAME = "recent_cache_operations"


def test_callers_send_operations_with_arguments_as_their_methods_declare_them() -> None:
    program = read_program(CACHE, IMPORTS, NAME)
    shape = input_shape(program)
    _, domain = with_operations(program, shape, input_domain(program, shape), portable=True)
    inside = [["put", "a", 1], ["get", "a"], ["get", "a", 3], ["keys"]]
    assert domain.holds((inside, 2))
    for other in (
        [["put", 1, "a"]],
        [["keys", 1]],
        [["pop", "a"]],
        [["put", "a"]],
        [("keys",)],
        [["get", 2]],
        [None],
        None,
    ):
        assert not domain.holds((other, 2)), other


def test_the_driver_itself_has_no_mutants() -> None:
    source = "\n".join((*IMPORTS, CACHE))
    tree = ast.parse(source).body[-1]
    assert isinstance(tree, ast.FunctionDef) and driver_of(tree) is not None
    assert {mutant.line for mutant in mutate(source, NAME).mutants} & set(range(tree.lineno, tree.lineno + 5)) == set()


@pytest.mark.parametrize("kind", ["SC", "WSC"])
async def test_a_class_is_certified_by_its_operations(workshop: Workshop, blobs: Blobs, kind: str) -> None:
    subject = Subject(
        "id-cache", NAME, "RecentCache", "SC" if kind == "SC" else "WSC", CACHE.strip(), imports=IMPORTS,
        libraries=("copy",), docstring="Keeps the values that were used last.", complexity=4, form="sequence",
    )  # fmt: skip
    task = await TaskBuilder(workshop, blobs).build(subject)
    assert isinstance(task, BuiltTask), task
    assert task.mutation_score >= 0.95 and task.branch_coverage == 1.0
    assert "- `get`, arguments `key`, `default` (may be left out, then -1): Give the value" in task.instruction
    assert task.track == "by_example"


BAG = """
class Bag:
    def __init__(self, most):
        self._most = most
        self._held = []

    def put(self, word, times=1):
        for letter in word.lower():
            if len(self._held) < self._most:
                self._held += [letter] * times

    def count(self):
        return len(self._held)


def bag_operations(operations, most):
    driven = Bag(most)
    methods = {"put": driven.put, "count": driven.count}
    return [deepcopy(methods[name](*given)) for name, *given in operations]
"""


def test_what_is_not_declared_is_told_by_the_use_of_arguments_and_fields() -> None:
    program = read_program(BAG, IMPORTS, "bag_operations")
    shape = input_shape(program)
    shape, domain = with_operations(program, shape, input_domain(program, shape), portable=True)
    operations, most = (each.shape for each in shape.parameters)
    assert isinstance(operations, ListShape) and isinstance(operations.element, UnionShape)
    assert [(each.name, [type(part).__name__ for part in each.arguments])
            for each in operations.element.options if isinstance(each, OperationShape)] == [
        ("put", ["TextShape"]), ("put", ["TextShape", "IntShape"]), ("count", []),
    ]  # fmt: skip
    assert IntShape in map(type, options_of(most))
    assert domain.holds(([["put", "ab"], ["count"]], 3)) and not domain.holds(([["sum"]], 3))


def test_operations_are_drawn_and_changed_as_operations() -> None:
    program = read_program(CACHE, IMPORTS, NAME)
    shape = input_shape(program)
    shape, domain = with_operations(program, shape, input_domain(program, shape), portable=True)
    sampler = Sampler(shape, 1, portable=True)
    inputs = [*(sampler.input() for _ in range(100)), *draw_inputs(shape, sampler, 60, 1)]
    assert all(map(domain.holds, inputs))
    assert {operation[0] for operations, _ in inputs for operation in operations} == {"get", "put", "keys"}
    variation = Variation(sampler)
    changed = [variation.change(operation, shape.parameters[0].shape.element) for operation in inputs[0][0] * 20]
    assert all(domain.holds(([each], 1)) for each in changed)


@pytest.mark.parametrize(("form", "libraries", "kind"), [
    ("sequence", ("copy",), "SC"), ("sequence", ("copy", "typing"), "SC"), ("sequence", ("copy", "re"), "WSC"),
    ("slice", ("copy",), "WSC"),
])  # fmt: skip
def test_a_class_that_needs_nothing_is_a_task_of_five_languages(
    form: Literal["sequence", "slice"], libraries: tuple[str, ...], kind: str
) -> None:
    source = SourceRef(source_id="s", source_version_id="v", kind="package", name="p", version="1")
    function = Function(
        function_id="f", source=source, path="a.py", qualname="RecentCache", name=NAME, line_start=1, line_end=2,
        form=form, code=CACHE, imports=IMPORTS, libraries=libraries, annotation_only=True, classification="WSC",
    )  # fmt: skip
    assert to_subject(function).kind == kind


def test_a_solver_is_not_given_the_class() -> None:
    assert given_beside("\n".join((*IMPORTS, CACHE)), NAME) == ""


def test_other_functions_have_no_operations() -> None:
    assert operation_rules("def f(operations):\n    return operations\n", "f", portable=True) == []
