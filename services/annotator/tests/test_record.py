"""The record: complete, of one form, and the same bytes for the same judgement."""

import json
from dataclasses import replace

import jsonschema

from annotator.domain.execution import CaseRun
from annotator.domain.method import ABLATIONS
from annotator.domain.record import Exchange, Step, method_id
from annotator.usecases.judging import Judge

STRING = {"type": "string"}
CASE = {
    "type": "object",
    "required": ["arguments", "kind", "expected"],
    "properties": {"arguments": STRING, "kind": {"enum": ["value", "check", "raises"]}, "expected": STRING},
    "additionalProperties": False,
}
SCHEMA = {
    "type": "object",
    "required": [
        "format", "pair", "method", "method_id", "steps", "label", "reason", "decided_by", "audit", "reading",
        "score", "calibration", "unclear", "self_reported",
    ],
    "additionalProperties": False,
    "properties": {
        "format": {"const": "touchstone.annotation.v2"},
        "pair": {"type": "object", "required": ["pair_id", "query", "code", "language"]},
        "method": {"type": "object", "required": ["name", "screener", "executor", "fixer", "max_tries"]},
        "method_id": STRING,
        "label": {"enum": [0, 1, None]},
        "reason": STRING,
        "decided_by": {"enum": ["single", "screener", "execution", "arbiter", "default"]},
        "audit": {"enum": [0, 1, None]},
        "reading": STRING,
        "score": {"type": ["number", "null"]},
        "calibration": STRING,
        "unclear": {"type": "boolean"},
        "self_reported": {"type": "boolean"},
        "steps": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": [
                    "name", "outcome", "detail", "interpretation", "prompt", "exchanges", "test", "source", "report",
                    "installed",
                ],
                "properties": {
                    "name": {
                        "enum": [
                            "single", "screener", "interpretations", "test_program", "execution", "trial", "repair",
                            "arbiter", "checker", "again", "control",
                        ]
                    },
                    "outcome": STRING,
                    "detail": STRING,
                    "interpretation": {"type": "integer", "minimum": 0},
                    "prompt": STRING,
                    "source": STRING,
                    "installed": {"type": "array", "items": STRING},
                    "exchanges": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "additionalProperties": False,
                            "required": [
                                "messages", "answer", "model", "finish_reason", "tokens_in", "tokens_out", "cost_usd",
                            ],
                            "properties": {
                                "messages": {"type": "array", "minItems": 1},
                                "answer": STRING,
                                "model": STRING,
                                "finish_reason": STRING,
                                "tokens_in": {"type": "integer"},
                                "tokens_out": {"type": "integer"},
                                "cost_usd": {"type": "number"},
                            },
                        },
                    },
                    "test": {
                        "anyOf": [
                            {"type": "null"},
                            {
                                "required": ["interpretation", "setup", "cases"],
                                "properties": {"cases": {"items": CASE}},
                            },
                            {"required": ["interpretation", "setup", "tests"]},
                        ]
                    },
                    "report": {
                        "anyOf": [
                            {"type": "null"},
                            {
                                "required": [
                                    "result", "detail", "cases", "output", "missing", "self_reported", "simulated",
                                    "supplied",
                                ],
                                "properties": {"result": {"enum": ["passed", "failed", "error"]}},
                                "additionalProperties": True,
                            },
                        ]
                    },
                },
            },
        },
    },
}  # fmt: skip

UNCLEAR = '{"reason": "must be run", "verdict": "unclear"}'
PROGRAM = '{"interpretation": "counts", "setup": "", "tests": "assert size(1) == 1"}'
FIXED = '{"setup": "number = 2"}'
YES = '{"reason": "fine", "label": 1}'


def sandbox(fake_sandbox, ended, wall_s):
    broken = ended("exited", f"TypeError at 0x7f{int(wall_s * 1000):06x}: took {wall_s}s", 1, wall_s=wall_s)
    return fake_sandbox(programs=[broken, ended(stdout="ran in 0.2s", wall_s=wall_s)])


async def judged(pair, scripted, box):
    model = scripted(screener=[UNCLEAR], program=[PROGRAM], fix_program=[FIXED], arbiter=[YES], checker=[YES])
    return await Judge(model, box, ABLATIONS["full"]).judge(pair)


async def test_record_follows_its_schema(method_pair, scripted, fake_sandbox, ended):
    record = await judged(method_pair, scripted, sandbox(fake_sandbox, ended, 0.1))
    content = json.loads(record.to_bytes())
    jsonschema.validate(content, SCHEMA)
    assert [step["name"] for step in content["steps"]] == [
        "screener", "test_program", "execution", "repair", "execution", "trial", "arbiter", "again", "control",
        "checker",
    ]  # fmt: skip
    for step in content["steps"]:
        assert step["name"] in {"execution", "trial"} or step["exchanges"][0]["answer"]
        assert step["name"] != "execution" or (step["source"] and step["report"])


async def test_record_of_cases_follows_its_schema(pair, scripted, fake_sandbox):
    cases = (
        '{"interpretation": "i", "cases": [{"args": ["ab"], "expected": "ba"}, {"args": [1], "raises": "TypeError"}]}'
    )
    model = scripted(screener=[UNCLEAR], cases=[cases], arbiter=[YES], checker=[YES])
    runs = [CaseRun("returned", '"ba"'), CaseRun("raised", error_type="TypeError", message="no")]
    record = await Judge(model, fake_sandbox(calls=[runs]), ABLATIONS["full"]).judge(pair)
    jsonschema.validate(json.loads(record.to_bytes()), SCHEMA)


async def test_the_clock_is_no_part_of_the_record(method_pair, scripted, fake_sandbox, ended):
    slow = await judged(method_pair, scripted, sandbox(fake_sandbox, ended, 9.5))
    fast = await judged(method_pair, scripted, sandbox(fake_sandbox, ended, 0.1))
    assert slow.to_bytes() == fast.to_bytes()
    assert b"seconds" not in slow.to_bytes() and b"wall_s" not in slow.to_bytes()


async def test_what_was_said_is_part_of_the_record(method_pair, scripted, fake_sandbox, ended):
    record = await judged(method_pair, scripted, sandbox(fake_sandbox, ended, 0.1))
    other = replace(record.steps[0].exchanges[0], answer="something else")
    changed = replace(record, steps=(replace(record.steps[0], exchanges=(other,)), *record.steps[1:]))
    assert changed.to_bytes() != record.to_bytes()


def test_any_text_has_a_place_in_the_record(pair):
    from annotator.domain.record import Record

    odd = replace(pair, query="half \ud800 nul \0 ünïcode", code="x\0")
    record = Record(odd, ABLATIONS["full"], "m", (Step("screener", "match"),), 1, "r", "screener")
    assert json.loads(record.to_bytes())["pair"]["query"] == odd.query


def test_method_id_tells_methods_models_and_prompts_apart():
    full = ABLATIONS["full"]
    ids = {
        method_id(full, "a"),
        method_id(full, "b"),
        method_id(replace(full, max_tries=5), "a"),
        method_id(ABLATIONS["single"], "a"),
    }
    assert len(ids) == 4
    assert method_id(full, "a") == method_id(replace(full), "a")


def test_step_adds_up_what_it_took():
    exchange = Exchange((("user", "q"),), "a", "m", "stop", 10, 5, 0.5, 2.0)
    step = Step("screener", "match", exchanges=(exchange, exchange), wall_s=1.0)
    assert (step.tokens_in, step.tokens_out, step.cost_usd, step.elapsed_s) == (20, 10, 1.0, 5.0)
