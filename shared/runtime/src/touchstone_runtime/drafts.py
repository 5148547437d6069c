"""Files that take their place when they are whole: a reader never sees half of one, nor do two meet that write it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

# A file's name has 255 bytes.
_NAME_BYTES = 80


@contextmanager
def draft_beside(out: Path, mode: int = 0o666) -> Generator[Path]:
    """An empty file beside another one, which takes that one's place when all went well, and else is gone.

    Its name is nobody else's. On a full disk, or after a crash, the old file stands.

    Args:
        out: The file that is written; its folder is there.
        mode: Who may read and write it, as far as the process's mask lets them.

    Raises:
        OSError: the disk is full or refuses.
    """
    name = out.name.encode("utf-8", "surrogateescape")[:_NAME_BYTES].decode("utf-8", "ignore")
    draft = out.with_name(f".{name}.{secrets.token_hex(6)}.part")
    try:
        os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        yield draft
        with draft.open("rb") as written:
            os.fsync(written.fileno())
        draft.replace(out)
    finally:
        draft.unlink(missing_ok=True)
