"""`--dataset`: files that a job finds beneath /data."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from touchstone_cli.errors import CliError
from touchstone_cli.services import Caller

# One message, with room for what else is in it.
_MOST_BYTES = 63 * 1024 * 1024
_DIGEST = re.compile(r"[0-9a-f]{64}")

Datasets = Annotated[
    list[str] | None,
    typer.Option(
        "--dataset",
        help="File that it finds beneath /data, as FILE or NAME=FILE, or NAME=DIGEST of one that is stored already; "
        "may be repeated.",
    ),
]


def given(service: Caller, wanted: list[str] | None) -> list[Any]:
    """The datasets of a request; files are stored first.

    Raises:
        CliError: one cannot be read, or is too large for a message.
    """
    found: list[Any] = []
    for text in wanted or []:
        name, equals, source = text.partition("=")
        if not equals:
            name, source = Path(text).name, text
        digest = source if _DIGEST.fullmatch(source) else _stored(service, Path(source))
        found.append(service.messages.Dataset(path=name, digest=digest))
    return found


def _stored(service: Caller, file: Path) -> str:
    try:
        size = file.stat().st_size
        if size > _MOST_BYTES:
            raise CliError(
                f"{file}: {size} bytes are more than {_MOST_BYTES}; store it where the service runs, with `python -m "
                "sandbox_executor add-dataset FILE`, and name its digest"
            )
        content = file.read_bytes()
    except OSError as error:
        raise CliError(f"{file}: {error.strerror}") from error
    request = service.messages.AddDatasetRequest(content=content)
    return service.call("AddDataset", request, timeout_s=600.0).digest
