"""An exported release, verified with nothing but a sandbox."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from pbt_generator.adapters.exporters import EXPORTERS, judges, same_content
from pbt_generator.adapters.harness_texts import load_harness
from pbt_generator.adapters.sandbox_grpc import GrpcSandbox
from pbt_generator.adapters.suites import ContractFreezer
from pbt_generator.adapters.tables import TablePrograms
from pbt_generator.settings import PbtGeneratorSettings
from pbt_generator.usecases.exported import ExportCheck
from pbt_generator.usecases.remeasure import Remeasurer
from pbt_generator.usecases.verify import Verifier
from touchstone_runtime.errors import TouchstoneError
from touchstone_runtime.exported import ExportedFolder
from touchstone_runtime.grpc_server import channel
from touchstone_runtime.settings import settings_or_end


async def verify_folder(folder: Path, address: str, languages: Sequence[str], *, full: bool = False) -> int:
    """Verify an export and print one JSON object a task as they are done; gives the exit code.

    Args:
        folder: What `touchstone release export` wrote.
        address: Where the sandbox-executor listens.
        languages: Replay table programs in these only; empty takes all that the certificates name.
        full: Measure coverage and mutation again as well.
    """
    connection = channel(address, settings_or_end(PbtGeneratorSettings).identity())
    try:
        sandbox = GrpcSandbox(connection, address)
        again = Remeasurer(sandbox, load_harness())
        verifier = Verifier(sandbox, TablePrograms(), ContractFreezer(), remeasurer=again)
        check = ExportCheck(verifier, ContractFreezer(), EXPORTERS, same_content, judges)
        async for checked in check.verify(ExportedFolder(folder), languages, full=full):
            sys.stdout.write(json.dumps(asdict(checked)) + "\n")
            sys.stdout.flush()
        return 0
    except TouchstoneError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    finally:
        await connection.close()
