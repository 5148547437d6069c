"""One function, from source to task, with nothing but a sandbox."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pbt_generator.adapters.export import write_task
from pbt_generator.adapters.harness_texts import load_harness
from pbt_generator.adapters.publisher import to_subject
from pbt_generator.adapters.sandbox_grpc import GrpcSandbox
from pbt_generator.adapters.suites import ContractFreezer
from pbt_generator.adapters.tables import TablePrograms
from pbt_generator.domain.inputs.traced import Seen
from pbt_generator.domain.refusals import Reason, Refusal
from pbt_generator.ports import Advisor
from pbt_generator.settings import PbtGeneratorSettings
from pbt_generator.usecases.build import BuiltSuite, RefusedSuite, Workshop, build_suite
from pbt_generator.usecases.tasks import TaskBuilder, to_candidate
from touchstone_contracts.events import FunctionExtracted
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.errors import TouchstoneError
from touchstone_runtime.grpc_server import channel
from touchstone_runtime.settings import settings_or_end


async def try_function(
    text: str, address: str, out: Path | None, *, use_model: bool = False, seen: Seen | None = None
) -> int:
    """Build one task and print what came of it as one JSON object; gives the exit code.

    Args:
        text: A `FunctionExtracted` as JSON.
        address: Where the sandbox-executor listens.
        out: Folder to write the task to, if it is released.
        use_model: Let the configured model judge and word the task.
        seen: How the function was called while its package's tests ran, where that is known.
    """
    try:
        event = FunctionExtracted.model_validate_json(text)
    except ValidationError as error:
        return _fail(f"standard input is no FunctionExtracted: {error.errors()[0]['msg']}")
    function = event.function
    if not event.task_candidate:
        detail = f"{function.rejected_by}: {function.rejection}"
        refused = RefusedSuite(Refusal(Reason.NOT_A_CANDIDATE, detail), 0.0)
        _print(_refused(refused, function.classification) | {"rejected_by": function.rejected_by})
        return 0
    settings = settings_or_end(PbtGeneratorSettings)
    connection = channel(address, settings.identity())
    try:
        subject = replace(to_subject(function), seen=seen or Seen())
        advisor = advisor_named(settings.task_model if use_model else "")
        shop = Workshop(GrpcSandbox(connection, address), load_harness(), ContractFreezer(), TablePrograms(), advisor)
        opinion = await advisor.judge(subject.code, subject.kind) if advisor else None
        if opinion is not None and not opinion.suitable:
            _print(_refused(RefusedSuite(Refusal(Reason.UNSUITABLE, opinion.reason), 0.0), subject.kind))
            return 0
        built = await build_suite(to_candidate(subject), shop)
        if isinstance(built, RefusedSuite):
            _print(_refused(built, subject.kind))
            return 0
        blobs = BlobStore("memory://try")
        task = await TaskBuilder(shop, blobs, advisor).finish(subject, built)
        if out is not None:
            write_task(out, task, function, built)
        _print(_released(built, subject.kind) | {"task_id": task.task_id, "difficulty": task.difficulty})
        return 0
    except TouchstoneError as error:
        return _fail(str(error))
    finally:
        await connection.close()


def advisor_named(model: str) -> Advisor | None:
    """A model as adviser, whose expenses nobody keeps.

    Args:
        model: A catalogue name or `name@base_url`; empty names none.
    """
    if not model:
        return None
    # Loading the client takes long, and most calls need none.
    from pbt_generator.adapters.advisor import LlmAdvisor
    from touchstone_runtime.llm import LlmClient, MemoryLedger

    settings = settings_or_end(PbtGeneratorSettings)
    return LlmAdvisor(LlmClient.from_settings(settings, MemoryLedger()), model)


def _refused(refused: RefusedSuite, kind: str) -> dict[str, Any]:
    return {
        "released": False,
        "reason": refused.refusal.reason.value,
        "detail": refused.refusal.words,
        "kind": kind,
        "branch_coverage": round(refused.branch_coverage, 4),
        "cases": refused.cases,
        "mutation_score": None if refused.mutation_score < 0 else round(refused.mutation_score, 4),
        "languages": [],
        "cpu_s": round(refused.cpu_s, 3),
    }


def _released(built: BuiltSuite, kind: str) -> dict[str, Any]:
    coverage, mutation = built.certificate.coverage, built.certificate.mutation
    readings = built.certificate.readings
    return {
        "released": True,
        "reason": "",
        "detail": "",
        "kind": kind,
        "branch_coverage": round(coverage.share, 4),
        "returning": coverage.returning,
        "raising": coverage.raising,
        "dead": coverage.dead,
        "cases": len(built.cases),
        "mutation_score": round(mutation.score, 4),
        "mutants": mutation.mutants,
        "killed": mutation.killed,
        "proved": len(mutation.proved),
        "evidence": len(mutation.evidence),
        "survivors": len(mutation.survivors),
        "rests_on": built.certificate.weight.evidence,
        "readings": len(readings),
        "readings_told_apart": sum(reading.told_apart for reading in readings),
        "languages": list(built.certificate.languages),
        "cpu_s": round(built.cpu_s, 3),
        "suite_digest": built.suite.digest,
        "certificate": built.certificate.to_dict(),
    }


def _print(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")


def _fail(words: str) -> int:
    sys.stderr.write(f"{words}\n")
    return 2
