"""Runs as other tools write them: a format is an entry of one registry, and what writes it takes whole answers.

Whatever holds programs is read again by `answers.read_answers`, so that a run can be judged anew from it. Where a
format has a score, there is one over the described tasks and one over those told by example, as there are two boards:
never one over both; and none of a run that was withdrawn, which counts nowhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from touchstone_runtime.tracks import WRITE
from touchstone_runtime.wordings import IN_WORDS, WORDINGS, wording_named

Answer = Mapping[str, Any]
Summary = Mapping[str, Any]
Writer = Callable[[Summary, Iterable[Answer]], Iterator[str]]

# The outcomes that are a verdict on the answer itself. Any other one, be it of a later version, is none: what was not
# judged is never written as failed.
JUDGED = frozenset(
    {"passed", "wrong_output", "raised", "timed_out", "memory", "output_limit", "process_limit", "compile_error",
     "exited", "killed", "forbidden", "no_code", "no_entry_point", "refused"}
)  # fmt: skip
_LIBRARY = "touchstone"
# What stands for the outcome of a task that was taken back.
_RETRACTED = "retracted"


def _jsonl(summary: Summary, answers: Iterable[Answer]) -> Iterator[str]:
    """Ours: an answer a line, whole."""
    for answer in answers:
        yield _line({**answer, "track": _track(summary), **_withdrawn(summary)})


def _evalplus(summary: Summary, answers: Iterable[Answer]) -> Iterator[str]:
    """EvalPlus: an answer a line, those without a program left empty; where nothing was answered, there is no line."""
    for answer in filter(_said, answers):
        task_id = f"Touchstone/{answer['task_id']}"
        yield _line({"task_id": task_id, "solution": answer["solution"], **_asked(summary, answer)})


def _livecodebench(summary: Summary, answers: Iterable[Answer]) -> Iterator[str]:
    """LiveCodeBench: one list, a task each, with its programs and their grades in the order of samples.

    Every answer that was asked for has its place; the grade of one without a verdict is null, its program empty where
    nothing was said. `pass@1` is null unless each has one, for over the rest alone a run would gain by what it lost,
    and where the run was withdrawn.
    """
    rows: dict[str, dict[str, Any]] = {}
    for answer in _in_order(answers):
        asked = {"wording": _wording(answer), **_asked(summary, answer), **_withdrawn(summary)}
        of = {"question_id": answer["task_id"], **asked, "code_list": [], "graded_list": []}
        row = rows.setdefault(answer["task_id"], of)
        row["code_list"].append(answer["solution"])
        row["graded_list"].append(_grade(answer))
    for row in rows.values():
        whole = None not in row["graded_list"] and not _withdrawn(summary)
        row["pass@1"] = _share(row["graded_list"]) if whole else None
    yield _line(list(rows.values()))


def _inspect(summary: Summary, answers: Iterable[Answer]) -> Iterator[str]:
    """Inspect: an EvalLog, a sample for each answer; epochs are numbered from 1, as there."""
    spec, given, now = summary["spec"], list(_in_order(answers)), _now()
    standing = [answer for answer in given if answer["outcome"] != _RETRACTED]
    grades = [grade for grade in map(_grade, standing) if grade is not None]
    shares = {wording: _share(given) for wording, given in _scored(summary, given).items()}
    whole = len(grades) == len(standing) and not _withdrawn(summary)
    epochs = max((answer["sample"] for answer in given), default=0) + 1
    tasks = list(dict.fromkeys(answer["task_id"] for answer in given))
    usage = _usage(spec["model"], summary)
    yield _line(
        {
            "version": 2,
            "status": "success" if whole else "cancelled",
            "eval": {
                "eval_id": summary["run_id"],
                "run_id": summary["run_id"],
                "created": now,
                "task": f"{_LIBRARY}/{_track(summary)}",
                "task_id": summary["run_id"],
                "task_version": 0,
                "task_args": {"strategy": spec["strategy"], "language": spec["language"]},
                "dataset": {"name": spec["tasks"]["name"], "samples": len(tasks), "sample_ids": tasks},
                "model": spec["model"],
                "model_generate_config": {"temperature": spec["temperature"], "seed": int(spec["seed"])},
                "config": {"epochs": epochs},
                "packages": {_LIBRARY: version("touchstone-cli")},
                "metadata": {"spec": spec, **_withdrawn(summary)},
            },
            "plan": {"name": spec["strategy"], "steps": []},
            "results": {
                "total_samples": len(standing),
                "completed_samples": len(grades),
                "scores": [_inspect_score(shares)] if shares else [],
            },
            "stats": {"started_at": now, "completed_at": now, "model_usage": usage},
            "samples": [_inspect_sample(answer, spec["model"]) for answer in given if _said(answer)],
        }
    )


def _inspect_score(shares: Mapping[str, float | None]) -> dict[str, Any]:
    """As Inspect writes a metric that is grouped by the samples' metadata, without one over all."""
    metrics = {f"accuracy_{name}": {"name": f"accuracy_{name}", "value": share} for name, share in shares.items()}
    return {"name": "suite", "scorer": "suite", "params": {}, "metrics": metrics}


def _inspect_sample(answer: Answer, model: str) -> dict[str, Any]:
    score = {
        "value": "C" if answer["outcome"] == "passed" else "I",
        "answer": answer["solution"],
        "explanation": answer["detail"],
        "metadata": {name: answer[name] for name in ("outcome", "cases", "passed", "cpu_s")},
    }
    choice = {"message": {"role": "assistant", "content": answer["solution"]}, "stop_reason": "stop"}
    return {
        "id": answer["task_id"],
        "epoch": answer["sample"] + 1,
        "input": answer["entry_point"],
        "target": "",
        "messages": [{"role": "assistant", "content": answer["solution"]}],
        "output": {"model": model, "choices": [choice]},
        "scores": {} if _grade(answer) is None else {"suite": score},
        "metadata": {
            "strategy": answer["strategy"],
            "language": answer["language"],
            "wording": _wording(answer),
        },
        "store": {},
        "events": [],
        "model_usage": _usage(model, answer),
        "attachments": {},
    }


def _every_eval_ever(summary: Summary, answers: Iterable[Answer]) -> Iterator[str]:
    """Every Eval Ever: the run as one record of its schema 0.3.0, a result for each wording; no answers are in it.

    What is not judged to its end, or was withdrawn, has no result in it, since the schema knows no score that is not
    there.
    """
    spec, given = summary["spec"], list(answers)
    moment = str(int(datetime.now(UTC).timestamp()))
    track = _track(summary)
    details = {
        "run_id": summary["run_id"],
        "track": track,
        "strategy": spec["strategy"],
        "language": spec["language"],
        "samples": str(spec["samples"]),
        "temperature": str(spec["temperature"]),
        "tasks_digest": spec["tasks"]["digest"],
        "release_digest": spec["tasks"]["release"],
    }
    yield _line(
        {
            "schema_version": "0.3.0",
            "evaluation_id": f"{_LIBRARY}/{spec['model']}/{summary['run_id']}",
            "retrieved_timestamp": moment,
            "source_metadata": {
                "source_name": _LIBRARY,
                "source_type": "evaluation_run",
                "source_organization_name": _LIBRARY,
                "evaluator_relationship": "third_party",
                **({"additional_details": withdrawn} if (withdrawn := _withdrawn(summary)) else {}),
            },
            "eval_library": {"name": _LIBRARY, "version": version("touchstone-cli")},
            "model_info": {
                "name": spec["model"],
                "id": spec["model"],
                "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
            },
            "evaluation_results": [
                _ever_result(
                    spec["tasks"]["name"],
                    f"{track}, {IN_WORDS[wording]}",
                    grades,
                    details
                    | {"wording": wording, "answers": str(sum(_wording(answer) == wording for answer in given))},
                )
                for wording, grades in _scored(summary, given).items()
            ],
        }
    )


def _ever_result(name: str, asked: str, grades: Sequence[bool], details: dict[str, str]) -> dict[str, Any]:
    counts = {"passed": str(sum(grades)), "judged": str(len(grades))}
    return {
        "evaluation_name": f"{name}, {asked}",
        "source_data": {"dataset_name": name, "source_type": "other"},
        "metric_config": {
            "evaluation_description": "Share of the answers that passed every case of their suites",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 1.0,
        },
        "score_details": {"score": _share(grades), "details": details | counts},
    }


RUN_FORMATS: dict[str, Writer] = {
    "jsonl": _jsonl,
    "evalplus": _evalplus,
    "livecodebench": _livecodebench,
    "inspect": _inspect,
    "every-eval-ever": _every_eval_ever,
}


def _track(summary: Summary) -> str:
    return summary["spec"]["track"] or WRITE


def _withdrawn(summary: Summary) -> dict[str, str]:
    """Why a run counts nowhere; nothing where it does."""
    return {"withdrawn": summary["withdrawn"]} if summary.get("withdrawn") else {}


def _asked(summary: Summary, answer: Answer) -> dict[str, str]:
    """What question an answer is to: read again, it is judged as no other's."""
    return {"language": answer["language"], "track": _track(summary)}


def _grade(answer: Answer) -> bool | None:
    """Whether an answer passed; None where there is no verdict on it."""
    return answer["outcome"] == "passed" if answer["outcome"] in JUDGED else None


def _wording(answer: Answer) -> str:
    """On which of the two boards an answer's task stands."""
    return wording_named(answer.get("wording", ""))


def _scored(summary: Summary, answers: Sequence[Answer]) -> dict[str, list[bool]]:
    """The grades that make a score; none of a run that was withdrawn."""
    return {} if _withdrawn(summary) else _graded(answers)


def _graded(answers: Sequence[Answer]) -> dict[str, list[bool]]:
    """The grades by wording; none for a wording that lacks a verdict: a part of its tasks has no score of theirs.

    Retracted tasks count nowhere.
    """
    standing = [answer for answer in answers if answer["outcome"] != _RETRACTED]
    found = {wording: [_grade(each) for each in standing if _wording(each) == wording] for wording in WORDINGS}
    whole = {wording: [grade for grade in grades if grade is not None] for wording, grades in found.items()}
    return {wording: grades for wording, grades in whole.items() if grades and len(grades) == len(found[wording])}


def _share(grades: Sequence[bool]) -> float | None:
    return sum(grades) / len(grades) if grades else None


def _said(answer: Answer) -> bool:
    """Whether there is an answer: an empty one without a verdict is none, and read again it would be a wrong one."""
    return bool(answer["solution"]) or _grade(answer) is not None


def _in_order(answers: Iterable[Answer]) -> list[Answer]:
    return sorted(answers, key=lambda answer: (answer["task_id"], answer["sample"]))


def _usage(model: str, took: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """What a model's answers took; nothing of answers that somebody else sampled."""
    if took["tokens_in"] is None:
        return {}
    # Large numbers are texts where a message became JSON.
    given, said = int(took["tokens_in"]), int(took["tokens_out"])
    return {model: {"input_tokens": given, "output_tokens": said, "total_tokens": given + said}}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
