"""What an exported line shows is what the platform shows, and what it holds can be run."""

from __future__ import annotations

import ast
import collections
import copy
import datetime
import decimal
import json
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pbt_generator.adapters.evalplus import Asked, evalplus_row, prompt_and_solution, runs
from pbt_generator.adapters.export import task_files
from pbt_generator.adapters.exporters import EXPORTERS, livecodebench_row
from pbt_generator.adapters.lm_eval import lm_eval_row
from pbt_generator.domain.release import ReleasedTask, Selection
from touchstone_values import encode

WORDS = 'Give """x""" back.\n\nA \\ sign.'
# A slice: what the function needs of its own package stands before it and after it.
SLICE = '''\
from __future__ import annotations

import math

LIMIT = 7

def _weight(n: Count) -> int:
    return int(math.sqrt(n * n + 3)) * LIMIT - 4

def score(items: list[Count]) -> int:
    """Old words."""
    return sum(_weight(item) for item in items) + _late(items)

class Count(int):
    pass

def _late(items: list[Count]) -> int:
    return len(f"{'\u00a0'.join(map(str, items))}") * 0
'''
OWN = ("_weight", "LIMIT", "Count", "_late")


def asked(source: str, prelude: str = "", head: str = "") -> Asked:
    function = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)][-1]
    gives = f" -> {ast.unparse(function.returns)}" if function.returns is not None else ""
    return Asked(function.name, WORDS, prelude, head or f"def {function.name}({ast.unparse(function.args)}){gives}")


def sliced(source: str = SLICE, retracted: str = "", head: str = "def score(items: list[int]) -> int") -> ReleasedTask:
    task = {
        "task_id": "t", "entry_point": "score", "instruction": "Sum the weights.", "signatures": {"python": head},
        "prelude": "import math\n", "kind": "SC", "difficulty": "Easy", "judged_by": "heuristic", "mutation_score": 1,
        "branch_coverage": 1, "track": "", "languages": ["python"], "suite_digest": "s",
    }  # fmt: skip
    source_of = {"kind": "package", "name": "p", "version": "1", "licence": "MIT"}
    function = {
        "form": "slice", "source": source_of, "first_seen": "2025-11-07", "imports": [], "libraries": [],
        "path": "p/a.py",
        "qualname": "score", "line_start": 1, "line_end": 2,
    }  # fmt: skip
    entry = {"task_id": "t", "languages": ["python"], "licence": "MIT", "digests": {"suite": "s"}, "source": source_of}
    record = {"task": task, "function": function}
    return ReleasedTask(entry, record, {"raising_inputs": []}, source, "portable", (("[[3]]", "17"),), b"", retracted)


def test_no_format_shows_a_solver_what_the_ground_truth_needs_of_its_own_package() -> None:
    task = sliced()
    problem = livecodebench_row(task)
    assert problem is not None
    files = task_files(task)
    shown = {
        "evalplus": evalplus_row(task)["prompt"],
        "livecodebench": problem["question_content"] + problem["starter_code"],
        "lm-eval": json.dumps(lm_eval_row(task)),
        "code2bench": (files["tested.py"] + files["instruction.txt"]).decode(),
    }
    assert [(name, each) for name, text in shown.items() for each in OWN if each in text] == []
    # Nor less than the platform gives.
    assert all("import math" in text and "items: list[int]" in text for text in shown.values())


@pytest.mark.parametrize(
    ("source", "head"),
    [
        (SLICE, "def score(items: list[int]) -> int"),
        # Nobody wrote the type that the head names, and nobody needs it to run.
        (SLICE, "def score(items: Unknown) -> Any"),
        # What does not take its arguments as the head says takes the prompt's place.
        (SLICE, "def score(items: list[int], more: int = 1) -> int"),
        (SLICE.replace("def score", "@_wrapped\ndef score").replace("def _weight", "def _wrapped(f): return f\ndef _weight"), ""),  # noqa: E501
        (SLICE + "\nfirst = score\ndef score(items): return first(items)\n", ""),
        (SLICE.replace("from __future__ import annotations", "from __future__ import annotations; import os"), ""),
    ],
)  # fmt: skip
def test_a_ground_truth_with_helpers_runs_as_evalplus_runs_it(source: str, head: str) -> None:
    row = evalplus_row(sliced(source, head=head or "def score(items: list[int]) -> int"))
    assert runs(row), row["prompt"] + row["canonical_solution"]
    space: dict[str, Any] = {}
    exec(row["prompt"] + row["canonical_solution"], space)
    assert space["score"]([3]) == 17
    assert not any(each in row["prompt"] for each in OWN)
    answered: dict[str, Any] = {}
    exec(row["prompt"] + "    return sum(map(_weight, items))\n", answered)
    with pytest.raises(NameError):
        answered["score"]([3])


@pytest.mark.parametrize(
    "source",
    [
        'def f(x: int, low: int = 0):\n    """Old."""\n    # Both.\n    if x < low:\n        return 1\n    return 2\n',
        'import math\n\ndef f(x):\n    text = """a\n  b"""\n    return math.floor(x), text\n',
        "def f(*items, twice=False): return [len(items)] * (2 if twice else 1)\n",
        "import functools\n\n@functools.cache\ndef f(n):\n\t'''Doc.'''\n\tdef g(m):\n\t\treturn m\n\treturn g(n)\n",
        "def f(a, /, b=2, *rest, c: int = 3, **more) -> 'int':\n  if a: return b\n  return c\n",
        'def f(x):\n    """Only words."""\n',
        "def f(x): 'doc'; y = x; return y\n",
        "def f(x):\n    'doc'; y = [\n  x]\n    return y # last\n",
        "def f(x):\n    @staticmethod\n    def g(): return 1\n    return g\n",
        "def f(x):\r\n    'doc'\r\n    return g(x)\r\n\r\ndef g(x): return x\r\n",
        "'About it.'\nX = 'ä'; import os\ndef f(x):\n    return X + f\"{'\u00a0'.join(x)}\"\n",
    ],
)
def test_prompt_and_solution_make_the_ground_truth(source: str) -> None:
    given = asked(source)
    prompt, solution = prompt_and_solution(source, given)

    def code(text: str) -> str:
        function = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == "f"][-1]
        if ast.get_docstring(function) is not None and len(function.body) > 1:
            function.body = function.body[1:]
        function.args.args, function.args.posonlyargs = [*function.args.posonlyargs, *function.args.args], []
        return ast.dump(function)

    assert code(prompt + solution) == code(source)
    assert "raise NotImplementedError" in solution or len(solution) <= len(source)
    function = ast.parse(prompt).body[-1]
    assert isinstance(function, ast.FunctionDef)
    assert (ast.get_docstring(function) or "").startswith(WORDS)


async def test_a_line_that_is_no_program_is_not_among_those_that_run(house: Any) -> None:
    exporter = EXPORTERS["evalplus"]()
    list(exporter.start({}, ""))
    for task in (sliced(), sliced(head="def score(items: list[int] = LIMIT) -> int"), sliced(head="score of items")):
        list(exporter.task(task))
    rows = {file.path: file.data.splitlines() for file in exporter.finish()}
    assert [len(rows[f"evalplus{name}.jsonl"]) for name in ("", "-plain")] == [3, 1]


@pytest.mark.parametrize(
    ("seen", "day"),
    [
        # Other tools hold a day without a zone against it, and read no task at all where one has none.
        ("2025-11-07T23:30:00Z", "2025-11-07T00:00:00"), ("2025-11-07T23:30:00-05:00", "2025-11-08T00:00:00"),
        ("2025-11-07T10:00:00", "2025-11-07T00:00:00"), ("2025-11-07", "2025-11-07T00:00:00"),
        ("2025-11-07T10:00:00.123456789Z", "2025-11-07T00:00:00"), ("", None), (None, None),
    ],
)  # fmt: skip
def test_a_problem_has_the_day_of_its_code_and_without_one_is_left_out(seen: str | None, day: str | None) -> None:
    task = sliced()
    task.record["function"]["first_seen"] = seen
    problem = livecodebench_row(task)
    assert (problem["contest_date"] if problem else None) == day


@pytest.mark.parametrize(
    ("arguments", "result", "held"),
    [
        ("[3]", "17", True), ("[3]", '[1,{"a":"1.5"}]', True), ('[3,{"a":1.5}]', "true", True),
        # A sum that rounds otherwise is right here, and wrong where results are held against each other by `==`.
        ("[3]", "0.5", False), ("[3]", '{"a":[1,2.0]}', False),
        # An argument a line, which none is not.
        ("[]", "17", False), ('{"a":1}', "17", False), ("[3]", '{"$":"tuple","v":[]}', False),
    ],
)  # fmt: skip
def test_a_problem_holds_what_livecodebench_judges_as_the_platform_does(
    arguments: str, result: str, held: bool
) -> None:
    problem = livecodebench_row(replace(sliced(), cases=(("[[3]]", "17"), (arguments, result))))
    assert (problem is not None) is held


@pytest.mark.parametrize(
    ("result", "judged"),
    [
        (3, True), ([1.5, None, "a", {"b": True}], True), ((1, {2, 3}), True), (float("inf"), True),
        (decimal.Decimal("1.5"), True), (datetime.date(2020, 1, 2), True),
        (collections.defaultdict(list, {1: []}), True),
        (np.float64(1.5), True), (2**60, True), ({1: 2}, True),
        (float("nan"), False), ([1.0, [float("nan")]], False), (decimal.Decimal("sNaN"), False),
        (complex(0, float("nan")), False), (np.float64("nan"), False), (np.array([1, 2]), False),
        ({"a": [np.zeros(2)]}, False), (pd.Series([1]), False), (pd.NaT, False),
        (collections.namedtuple("P", "a b")(1, 2), False), (collections.defaultdict(lambda: 1, {1: 2}), False),
    ],
    ids=repr,
)  # fmt: skip
def test_a_line_whose_results_evalplus_cannot_judge_is_not_among_those_that_run(result: object, judged: bool) -> None:
    exporter = EXPORTERS["evalplus"]()
    list(exporter.start({}, ""))
    list(exporter.task(replace(sliced(), cases=(("[[3]]", "17"), ("[[4]]", encode(result))))))
    rows = {file.path: file.data.splitlines() for file in exporter.finish()}
    assert (len(rows["evalplus.jsonl"]), len(rows["evalplus-plain.jsonl"])) == (1, judged)
    if judged:
        # As EvalPlus does: what was made once is read from a file, and held against what is made again.
        assert pickle.loads(pickle.dumps(result)) == copy.deepcopy(result)


async def test_a_task_that_was_taken_back_is_in_no_row_that_other_tools_score(house: Any) -> None:
    await house.desk.create("one", Selection())
    clamp = house.ids["clamp"]
    told = [await house.export("one", each) for each in ("evalplus", "livecodebench", "lm-eval")]
    assert all(clamp.encode() in b"".join(data for path, data in each.items() if "jsonl" in path) for each in told)
    await house.desk.retract(clamp, "its expected results are wrong")
    told = [await house.export("one", each) for each in ("evalplus", "livecodebench", "lm-eval", "code2bench")]
    scored = ("evalplus-plain.jsonl", "livecodebench.jsonl", "lm_eval/tasks.jsonl")
    assert not any(clamp.encode() in files[path] for files, path in zip(told, scored, strict=False))
    row = next(json.loads(line) for line in told[0]["evalplus.jsonl"].splitlines() if clamp.encode() in line)
    assert row["touchstone"]["retracted"] == "its expected results are wrong"
    assert json.loads(told[3][f"{clamp}/metadata.json"])["retracted"] == "its expected results are wrong"
