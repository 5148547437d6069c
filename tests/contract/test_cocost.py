"""Drafts of every language run in the real sandbox as CoCoST runs them: data in, data or an error out."""

from __future__ import annotations

import pytest

from evaluator.adapters.sandbox import GrpcSandbox
from touchstone_cli.sandbox_server import sandbox_address
from touchstone_runtime.grpc_server import channel

HALF = {
    "python": "def half(x):\n    if x < 0:\n        raise ValueError('below zero')\n    return [x // 2, 'é']\n",
    "javascript": "function half(x) {\n  if (x < 0) throw new RangeError('below zero');\n"
    "  return [Math.floor(x / 2), 'é'];\n}\n",
    "typescript": "function half(x: number): any[] {\n  if (x < 0) throw new RangeError('below zero');\n"
    "  return [Math.floor(x / 2), 'é'];\n}\n",
    "java": "import java.util.*;\n\nclass Solution {\n  static List<Object> half(int x) {\n"
    '    if (x < 0) throw new IllegalArgumentException("below zero");\n    return List.of(x / 2, "é");\n  }\n}\n',
    "go": 'package main\n\nfunc half(x int) []any {\n\tif x < 0 {\n\t\tpanic("below zero")\n\t}\n'
    '\treturn []any{x / 2, "é"}\n}\n',
}


@pytest.fixture(scope="module")
def address():
    with sandbox_address() as found:
        yield found


@pytest.mark.real
@pytest.mark.parametrize("language", HALF)
async def test_a_draft_of_a_language_answers_and_fails_as_what_it_is(address, language):
    connection = channel(address)
    try:
        runs = await GrpcSandbox(connection).run_calls(HALF[language], "half", ["[5]", "[-1]", "[0]"], language)
    finally:
        await connection.close()
    assert [run.outcome for run in runs] == ["returned", "raised", "returned"], runs
    assert [runs[0].value, runs[2].value] == ['[2,"é"]', '[0,"é"]'] and "below zero" in runs[1].error_message


@pytest.mark.real
@pytest.mark.parametrize("language", HALF)
async def test_a_draft_that_is_no_program_says_so_to_its_model(address, language):
    connection = channel(address)
    try:
        (run,) = await GrpcSandbox(connection).run_calls("half half ((", "half", ["[5]"], language)
    finally:
        await connection.close()
    assert run.outcome in ("compile_error", "raised", "no_entry_point") and run.error_message
