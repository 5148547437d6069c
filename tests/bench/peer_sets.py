"""Ground truths of somebody else's set in the real sandbox: how many pass whole, and every exception.

    python tests/bench/peer_sets.py HumanEvalPlus.jsonl.gz --format evalplus

The very code that `touchstone release import` asks for, without a platform: nothing is kept.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from pbt_generator.adapters.foreign import record_of_foreign
from pbt_generator.adapters.sandbox_grpc import GrpcSandbox
from pbt_generator.adapters.suites import ContractFreezer
from pbt_generator.domain.foreign import ForeignSet, ForeignTask
from pbt_generator.settings import PbtGeneratorSettings
from pbt_generator.usecases.importing import Importer
from touchstone_cli.foreign_sets import SET_FORMATS, LeftOut, read_set
from touchstone_cli.sandbox_server import sandbox_address
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.grpc_server import channel


class _Forgetful:
    """Keeps no decision and tells nobody."""

    async def save(self, _id: str, _builder: str, _kind: str, decision: Any, _function: Any, _cpu_s: float) -> Any:
        return decision

    async def built(self, _task: Any, _function: Any) -> None:
        return


async def measure(path: Path, set_format: str, address: str) -> dict[str, Any]:
    """Take in every task; gives what `touchstone release import --json` tells."""
    connection = channel(address, PbtGeneratorSettings().identity())  # pyright: ignore[reportCallIssue]
    keeper: Any = _Forgetful()
    sandbox = GrpcSandbox(connection, address)
    importer = Importer(sandbox, ContractFreezer(), BlobStore("memory://peer"), keeper, keeper, record_of_foreign)
    whose = ForeignSet(path.name, "1", "NOASSERTION")
    exceptions: dict[str, Any] = {}
    weak: dict[str, Any] = {}
    found, cases, passed = read_set(path, set_format), 0, 0
    for number, one in enumerate(found, 1):
        if isinstance(one, LeftOut):
            exceptions[one.foreign_id] = [one.reason]
            continue
        read = asdict(one)
        licence = read.pop("licence") or whose.licence
        taken = await importer.take(replace(whose, licence=licence), ForeignTask(**read))
        cases, passed = cases + taken.cases, passed + taken.passes
        if taken.problems:
            exceptions[one.foreign_id] = [*taken.problems, "" if taken.task else "left out"]
        if taken.weak:
            weak[one.foreign_id] = taken.weak
        print(f"{number} of {len(found)}", end="\r", flush=True)
    await connection.close()
    counts = {"tasks": len(found), "passed": passed, "whole": len(found) - len(exceptions), "cases": cases}
    return {**counts, "exceptions": exceptions, "weak": weak}


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--format", choices=tuple(SET_FORMATS), default="evalplus")
    given = parser.parse_args()
    began = time.monotonic()
    with sandbox_address() as address:
        told = asyncio.run(measure(given.path, given.format, address))
    print(json.dumps({**told, "seconds": round(time.monotonic() - began)}, indent=1))


if __name__ == "__main__":
    main()
