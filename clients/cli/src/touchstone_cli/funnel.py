"""`touchstone funnel`: how many functions became tasks, and why the others did not."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from touchstone_cli.errors import CliError
from touchstone_cli.output import counted, print_json, print_table, say, to_dict
from touchstone_cli.services import connect

# What is still there after a stage, and what a stage turned away.
LEFT, LOST = "left", "lost"
STAGES = {
    "functions": "functions taken in",
    "python_functions": "of them in Python",
    "self_contained_or_weakly": "self-contained as they stand, or but for allowed libraries",
    "SC": "  of them self-contained (SC)",
    "WSC": "  of them with libraries (WSC)",
    "filters": "filters",
    "task_candidates": "candidates for tasks",
    "slices": "  of them with what they need of their source (slices)",
    "records": "  of them methods (records)",
    "sequences": "  of them classes, which are no functions (sequences)",
    "tasks_refused": "no suite could be certified",
    "tasks_retracted": "tasks taken back",
    "tasks_released": "tasks",
}


def funnel(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON array, a stage each.")] = False,
) -> None:
    """Show the counts from functions seen to tasks, with the reason of each rejection.

    Example: touchstone funnel --json
    """
    stages = found()
    if as_json:
        print_json(stages)
        return
    rows: list[tuple[object, ...]] = []
    for stage in stages:
        name = STAGES.get(stage["stage"], stage["stage"].replace("_", " "))
        left, lost = (stage["count"], "") if stage["kind"] == LEFT else ("", stage["count"])
        rows.append((name, left, lost, "", ""))
        reasons = sorted(stage["reasons"], key=lambda reason: -reason["count"])
        rows += [("", "", reason["count"], reason["reason"], reason["example"]) for reason in reasons]
    print_table(("stage", "left", "lost", "reason", "example"), rows, right=("left", "lost"))
    if not any(stage["count"] for stage in stages):
        say("Nothing was taken in yet; see `touchstone sources`.")
        return
    say("`touchstone explain REASON` says what a reason means.")
    indexed = _indexed()
    if indexed:
        functions = counted(indexed, "function is", "functions are")
        say(f"{functions} indexed for search: functions and classes, but none of test files, which are counted above.")


def in_a_line() -> str:
    """From functions to tasks in one line, for example `11,435 functions → 252 candidates → 120 tasks so far`."""
    count = {stage["stage"]: stage["count"] for stage in found() if stage["kind"] == LEFT}
    functions, candidates = counted(count.get("functions", 0), "function"), count.get("task_candidates", 0)
    return f"{functions} → {counted(candidates, 'candidate')} → {counted(count['tasks_released'], 'task')} so far"


def found() -> list[dict[str, Any]]:
    """Every stage with its count and the reasons of what was lost, from functions to tasks."""
    answer = connect("ingester").call("Funnel")
    stages: list[dict[str, Any]] = [
        {
            "stage": stage.stage,
            "kind": LEFT,
            "count": stage.count,
            "reasons": [to_dict(reason) for reason in answer.reasons if reason.stage == stage.stage],
        }
        for stage in answer.stages
    ]
    # Filters that turn functions away belong before the stage that says what is left.
    names = [stage.stage for stage in answer.stages]
    named = set(names)
    left = names.index("task_candidates") if "task_candidates" in named else len(names) - 1
    for filters in dict.fromkeys(reason.stage for reason in answer.reasons if reason.stage not in named):
        reasons = [to_dict(reason) for reason in answer.reasons if reason.stage == filters]
        lost = sum(reason["count"] for reason in reasons)
        stages.insert(max(0, left), {"stage": filters, "kind": LOST, "count": lost, "reasons": reasons})
        left += 1
    generator = connect("pbt-generator").call("ListTasks")
    refusals = [
        {"stage": "tasks_refused", "reason": reason, "count": count, "example": ""}
        for reason, count in sorted(generator.refusals.items())
    ]
    stages.append({"stage": "tasks_refused", "kind": LOST, "count": generator.refused, "reasons": refusals})
    if generator.retracted:
        stages.append({"stage": "tasks_retracted", "kind": LOST, "count": generator.retracted, "reasons": []})
    stages.append({"stage": "tasks_released", "kind": LEFT, "count": len(generator.tasks), "reasons": []})
    return stages


def _indexed() -> int:
    """How many functions can be searched; 0 where the retriever does not say."""
    try:
        counters = connect("retriever").call("Progress").progress.counters
    except CliError:
        return 0
    return next((counter.value for counter in counters if counter.name == "functions_indexed"), 0)
