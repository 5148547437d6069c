"""Files that take their place when they are whole: a reader never sees half of one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from touchstone_cli.errors import CliError
from touchstone_runtime.drafts import draft_beside


@contextmanager
def draft_of(out: Path, *, force: bool) -> Iterator[Path]:
    """An empty file beside the one that is asked for, which takes its place when all went well, and else is gone.

    Its name is nobody else's: two commands that write the same file do not meet.

    Args:
        out: The file that is asked for.
        force: Whether one that is there may be replaced.

    Raises:
        CliError: the file is there, or cannot be written.
    """
    _demand_free(out, force=force)
    if out.exists() and not out.is_file():
        # A folder or a device is nothing to be replaced.
        raise CliError(f"{out}: is no file; name a file")
    with ExitStack() as made:
        try:
            draft = made.enter_context(draft_beside(out))
        except OSError as error:
            raise CliError(f"{out}: cannot be written ({error.strerror})") from error
        yield draft
        # Somebody else's may have come meanwhile.
        _demand_free(out, force=force)


def _demand_free(out: Path, *, force: bool) -> None:
    if out.exists() and not force:
        raise CliError(f"{out}: is there already; name another file, or add --force")
