"""The table of what rule families earn is whole though building one function ends in an error."""

import asyncio
from types import SimpleNamespace

import pytest

from pbt_generator.domain.refusals import Reason, Refusal
from pbt_generator.usecases.build import RefusedSuite


@pytest.fixture(scope="module")
def ablation(load_script):
    return load_script("tests/bench/ablation.py")


class Faulty:
    """Refuses every function, and fails at those that it is told."""

    def __init__(self, *names):
        self.names = names

    async def build(self, task):
        if task.name in self.names:
            raise OverflowError("cannot convert float infinity to integer")
        return RefusedSuite(Refusal(Reason.CONSTANT_OUTPUT), 2.0)


def test_an_error_is_a_row_with_the_name_of_its_function_and_the_others_are_built(ablation):
    tasks = [SimpleNamespace(name=name) for name in ("a", "b", "c", "d")]
    whole = asyncio.run(ablation.built(tasks, Faulty("b")))
    assert whole.cpu_s == {"a": 2.0, "c": 2.0, "d": 2.0}
    assert whole.failed == {"b": "OverflowError: cannot convert float infinity to integer"}
    assert whole.seen("a") and whole.seen("b") and not whole.seen("e")
    found = asyncio.run(ablation.built([task for task in tasks if task.name in whole.cpu_s], Faulty("c")))
    whole.released["c"] = whole.released["d"] = 1.0
    assert whole.open("a") and not whole.open("b")
    whole.refused["a"] = Reason.UNCONSTRUCTIBLE_INPUT.value
    assert not whole.open("a")
    line = ablation.line_of("tokens", tasks, whole, found)
    # What failed on either side neither earns nor costs, and its time is on neither.
    assert line["tried"] == 2 and line["released"] == [1, 0] and line["earns"] == ["d"] and line["costs"] == []
    assert line["cpu_s"] == [4.0, 4.0]
    assert set(line["failed_whole"]) == {"b"} and set(line["failed"]) == {"c"}


def test_a_rule_of_proof_earns_the_functions_that_are_refused_without_it(ablation):
    proved = "line 2: x[:n] → x[:-n] (it differs for n without anything in it, and gives the same there)"
    rule = ablation.rule_of(proved)
    assert rule == "it differs for … without anything in it, and gives the same there"
    whole = ablation.Outcome(released={"a": 1.0, "b": 1.0}, proofs={"a": (30, 30, {rule: 1}), "b": (12, 12, {rule: 1})})
    whole.proofs["c"] = (40, 40, {"branch: the iterator never ends": 1})
    dead, mutant = ablation.proof_lines(whole)
    assert dead["earns"] == ["c"]
    assert [mutant] == [{"proof": rule, "released": 2, "functions": 2, "earns": ["b"]}]
