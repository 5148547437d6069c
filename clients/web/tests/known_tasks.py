"""Tasks with certificates and cases, as the generator of the tests knows them."""

from __future__ import annotations

import json

from touchstone.common.v1 import code_pb2
from touchstone.pbt_generator.v1 import pbt_generator_pb2 as generator

HOSTILE = "<script>alert('x')</script>"


def built() -> generator.Task:
    return generator.Task(
        task_id="0" * 32,
        kind="SC",
        difficulty="Easy",
        entry_point="normalise",
        location=code_pb2.CodeLocation(repository="wordkit", path="wordkit/words.py", qualname="normalise"),
        cases=50,
        branch_coverage=1.0,
        mutation_score=0.98,
        suite_digest="a" * 64,
        instruction=f"Return the words.\nExample: {HOSTILE}",
        track="described",
        signatures={"go": "func normalise(text string) []string", "python": "def normalise(text: str) -> list[str]:"},
        solved_by={"strong-70b": "2/3"},
        first_seen="2026-03-04T00:00:00+00:00",
        dated_by="release 1.2",
    )


# What the generator keeps of a task; texts of a certificate come from foreign code in part.
CERTIFICATE = {
    "languages": ["go", "python"], "distinct_results": 7, "largest_share": 0.25,
    "coverage": {"branches": 3, "returning": 2, "raising": 0, "dead": 1, "share": 1.0},
    "mutation": {"mutants": 4, "killed": 3, "proved": ["x"], "survivors": []},
    "inputs": {
        "real": 2, "near": 5, "inferred": 9, "robustness": {"cases": 1, "refused": []},
        "domain": {"text": [{"text": f"a text {HOSTILE}", "source": "documentation"}]},
    },
    "trials": [{"program": "exits", "language": "go", "must_pass": False, "verdict": "wrong_output"}],
}  # fmt: skip


CASES = tuple(
    json.dumps({"arguments": json.dumps(arguments), "expected": json.dumps(expected)})
    for arguments, expected in (
        (["a  b"], ["a", "b"]),
        ([{"$": "tuple", "v": [1, None]}], {"$": "float", "v": "nan"}),
    )
)


def told(request: generator.GetTaskRequest) -> generator.GetTaskResponse:
    """A task with its first cases, or those that are asked for."""
    cases = [CASES[1].replace("[1,", f"[{number},") for number in request.cases] or CASES
    return generator.GetTaskResponse(
        task=built(),
        certificate_json=json.dumps(CERTIFICATE),
        ground_truth="def normalise(text): ...",
        example_cases=cases,
    )


def long() -> generator.Task:
    """A task whose names are as long as real ones."""
    task = built()
    task.task_id, task.difficulty, task.kind, task.track = "1" * 32, "Medium", "WSC", "by_example"
    task.complexity = 14
    task.entry_point = "normalise_whitespace_and_punctuation_of_paragraphs"
    task.location.path = "src/wordkit/internal/text_processing/paragraphs/normalisation_of_whitespace.py"
    return task
