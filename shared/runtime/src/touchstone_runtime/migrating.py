"""`python -m touchstone_runtime.migrating MODULE`: bring one service's schema up to date, and end.

A cluster runs it before an upgrade's pods start; a service that starts does the same, and finds it done. Changes only
add: what a release no longer uses goes with the release after it, so that both run beside one schema.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from importlib.util import find_spec
from pathlib import Path

from touchstone_runtime.database import Database
from touchstone_runtime.errors import PreconditionError, TouchstoneError
from touchstone_runtime.retry import GivenUpError
from touchstone_runtime.settings import ServiceSettings, settings_or_end
from touchstone_runtime.telemetry import configure, get_logger

_log = get_logger()


def folder_of(module: str) -> Path:
    """The migrations of a service's module, found without importing it.

    Raises:
        PreconditionError: there is no such module, or it keeps nothing in the database.
    """
    spec = find_spec(module)
    for place in (spec.submodule_search_locations or []) if spec else []:
        if (Path(place) / "migrations" / "env.py").is_file():
            return Path(place) / "migrations"
    raise PreconditionError("has no migrations", thing=module, way_out="name a service's module, such as ingester")


async def migrate(module: str, settings: ServiceSettings) -> None:
    """Bring the schema of one service up to date; waits for a database that is away.

    Raises:
        GivenUpError: a step cannot be done.
        TouchstoneError: there are no such migrations.
    """
    database = Database(settings.database_url, module, folder_of(module))
    try:
        await database.migrate_once_there()
    finally:
        await database.close()


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m touchstone_runtime.migrating", description=__doc__)
    parser.add_argument("module", help="the service's Python module, such as ingester")
    module: str = parser.parse_args().module
    settings = settings_or_end(ServiceSettings)
    configure(module.replace("_", "-"), settings.log_level)
    try:
        asyncio.run(migrate(module, settings))
    except TouchstoneError as error:
        _log.error("schema_not_migrated", error=str(error))
        return 1
    except GivenUpError as error:
        _log.error("schema_not_migrated", error=str(error), exc_info=error.cause)
        return 1
    _log.info("schema_migrated", schema=module)
    return 0


if __name__ == "__main__":
    sys.exit(main())
