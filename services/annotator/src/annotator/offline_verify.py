"""An exported release of labels, verified with nothing but the folder itself."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from annotator.adapters.exporters import EXPORTERS
from annotator.usecases.verify_releases import FolderCheck
from touchstone_runtime.errors import TouchstoneError
from touchstone_runtime.exported import ExportedFolder


async def verify_folder(folder: Path) -> int:
    """Verify an export and print one JSON object a portion as they are done; gives the exit code."""
    try:
        async for checked in FolderCheck(EXPORTERS).verify(ExportedFolder(folder)):
            sys.stdout.write(json.dumps(asdict(checked)) + "\n")
            sys.stdout.flush()
        return 0
    except TouchstoneError as error:
        sys.stderr.write(f"{error}\n")
        return 2
