"""What is told of methods that change their object."""

from __future__ import annotations

import pytest

from pbt_generator.domain.task.record import BuiltTask, Subject
from pbt_generator.domain.task.wording.afterwards import kept_fields
from pbt_generator.ports import Blobs
from pbt_generator.usecases.build import Workshop
from pbt_generator.usecases.tasks import TaskBuilder

HELD = "The result is a map of what is held at the end: "


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("a += x\nreturn {'a': a}", [f"{HELD}under `a` what `a` has become."]),
        (
            "if x:\n    return {'result': (1), 'a': a, 'b': b_}\nb_ = x\nreturn {'result': None, 'a': a, 'b': b_}",
            [
                f"{HELD}under `a` what `a` has become, under `b` the object's field of that name, "
                "under `result` what is returned, or nothing (null)."
            ],
        ),
        # What a function inside gives is another's result.
        ("def g():\n    return 1\na = g()\nreturn {'a': a}", [f"{HELD}under `a` what `a` has become."]),
        ("return {'result': a}", []),
        ("return {'a': a + x}", []),
        ("if x:\n    return {'a': a}\nreturn {'b': a}", []),
        ("if x:\n    return {'a': a}\nreturn {'a': x}", []),
        ("return {**a}", []),
        ("return {}", []),
        ("return a", []),
        ("a += x", []),
    ],
)
def test_changed_fields_are_told_where_every_way_gives_them(body: str, told: list[str]) -> None:
    source = "def f(a, x):\n" + "\n".join(f"    {line}" for line in body.splitlines())
    assert kept_fields(source, "f") == told


CHARGE = """
def account_charge(balance: int, limit: int, amount: int) -> dict[str, int]:
    \"\"\"Take an amount from the balance where that leaves at least the limit, and return the balance.\"\"\"
    if balance - amount >= limit:
        balance -= amount
    return {"result": (balance), "balance": balance}
"""


async def test_a_solver_reads_what_the_map_holds(workshop: Workshop, blobs: Blobs) -> None:
    task = await TaskBuilder(workshop, blobs).build(
        Subject("id-charge", "account_charge", "Account.charge", "SC", CHARGE.strip(), form="record")
    )
    assert isinstance(task, BuiltTask)
    assert f"{HELD}under `balance` what `balance` has become, under `result`" in task.instruction
