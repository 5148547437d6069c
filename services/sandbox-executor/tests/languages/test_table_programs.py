"""Table programs of the pbt-generator in the sandbox: each must pass on every shared value, its twin must not.

The two services share no code; this test only hands one's text to the other, as the broker would.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pbt_generator.domain.task.tables import TABLES, table_program
from sandbox_executor.adapters.toolchains import Toolchains
from sandbox_executor.domain.outcomes import Outcome
from touchstone_values import compare

VECTORS = Path(__file__).resolve().parents[4] / "shared" / "values" / "vectors" / "values.json"


def shared_values() -> list[str]:
    # The deepest list has no room for the array of arguments around it.
    vectors = [vector for vector in json.loads(VECTORS.read_text()) if vector["name"] != "deepest list"]
    return [vector["text"] for vector in vectors if "go" in vector["languages"]]


def suite() -> list[tuple[str, str]]:
    """Each shared value once as an argument and once as a result."""
    values = shared_values()
    cases = [(f"[{values[i]},{i}]", values[-1 - i]) for i in range(len(values))]
    cases += [(f"[{value}]", value) for value in values]
    cases += [(f'{{"first":{i},"second":{value},"third":"x"}}', value) for i, value in enumerate(values)]
    return cases


def wrong(cases: list[tuple[str, str]], results: list) -> list[int]:
    assert len(results) == len(cases)
    return [
        index
        for index, ((_, expected), result) in enumerate(zip(cases, results, strict=True))
        if result.outcome is not Outcome.RETURNED or compare(expected, result.value, "portable") is not None
    ]


# Names that programs might use themselves.
ENTRIES = {"python": "decode", "javascript": "key", "typescript": "text", "java": "answer", "go": "sort"}


@pytest.mark.parametrize("language", TABLES)
def test_every_shared_value_is_answered(language: str, run_cases: Callable) -> None:
    cases = suite()
    entry = ENTRIES[language]
    inputs = [arguments for arguments, _ in cases]
    results = run_cases(language, table_program(language, entry, cases), entry, inputs)
    assert wrong(cases, results) == [], [r for r in results if r.outcome is not Outcome.RETURNED][:2]
    twin = run_cases(language, table_program(language, entry, cases, broken=True), entry, inputs)
    assert wrong(cases, twin) == [len(cases) // 2]


@pytest.mark.parametrize("language", TABLES)
def test_an_unknown_input_is_an_error(language: str, run_cases: Callable) -> None:
    (result,) = run_cases(language, table_program(language, "f", [("[1]", "2")]), "f", ["[2]"])
    assert result.outcome is Outcome.RAISED


@pytest.mark.parametrize("language", TABLES)
def test_large_suites(language: str, run_cases: Callable) -> None:
    cases = [(f"[{i},{json.dumps('ü' * (i % 50))}]", json.dumps([i] * (i % 300))) for i in range(500)]
    cases.append(('["long"]', json.dumps("x" * 40_000)))
    results = run_cases(language, table_program(language, "f", cases), "f", [arguments for arguments, _ in cases])
    assert wrong(cases, results) == [], results[0]


def test_typescript_tables_pass_the_type_check(run_cases: Callable, toolchains: Toolchains) -> None:
    toolchains.places("typescript", type_check=True)
    cases = suite()[:20]
    inputs = [arguments for arguments, _ in cases]
    results = run_cases("typescript", table_program("typescript", "f", cases), "f", inputs, type_check=True)
    assert wrong(cases, results) == [], results[0]
