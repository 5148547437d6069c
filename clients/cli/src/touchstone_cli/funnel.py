"""`touchstone funnel`: how many functions became tasks, and why the others did not."""

from __future__ import annotations

from typing import Annotated

import typer

from touchstone_cli.output import print_json, print_table, say, to_dict
from touchstone_cli.services import connect


def funnel(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON array, a stage each.")] = False,
) -> None:
    """Show the counts from functions seen to tasks, with the reason of each rejection.

    Example: touchstone funnel --json
    """
    answer = connect("ingester").call("Funnel")
    stages = [
        {
            "stage": stage.stage,
            "count": stage.count,
            "reasons": [to_dict(reason) for reason in answer.reasons if reason.stage == stage.stage],
        }
        for stage in answer.stages
    ]
    # Filters that turn functions away belong between the last two stages, which say what came in and what is left.
    named = {stage.stage for stage in answer.stages}
    for filters in dict.fromkeys(reason.stage for reason in answer.reasons if reason.stage not in named):
        reasons = [to_dict(reason) for reason in answer.reasons if reason.stage == filters]
        lost = sum(reason["count"] for reason in reasons)
        stages.insert(max(0, len(stages) - 1), {"stage": filters, "count": lost, "reasons": reasons})
    generator = connect("pbt-generator").call("ListTasks")
    refusals = [
        {"stage": "tasks_refused", "reason": reason, "count": count, "example": ""}
        for reason, count in sorted(generator.refusals.items())
    ]
    stages.append({"stage": "tasks_refused", "count": generator.refused, "reasons": refusals})
    if generator.retracted:
        stages.append({"stage": "tasks_retracted", "count": generator.retracted, "reasons": []})
    stages.append({"stage": "tasks_released", "count": len(generator.tasks), "reasons": []})
    if as_json:
        print_json(stages)
        return
    rows: list[tuple[object, ...]] = []
    for stage in stages:
        rows.append((stage["stage"], stage["count"], "", ""))
        reasons = sorted(stage["reasons"], key=lambda reason: -reason["count"])
        rows += [("", reason["count"], reason["reason"], reason["example"]) for reason in reasons]
    print_table(("stage", "count", "reason", "example"), rows, right=("count",))
    if not answer.stages:
        say("Nothing was taken in yet; see `touchstone sources`.")
