"""Folders in which something is made until it is whole; whose maker holds a lock on them, which ends with him."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

_PREFIX = ".converting"


@contextlib.contextmanager
def scratch_in(parent: Path) -> Generator[Path]:
    """A folder of one's own, gone at the end unless it was renamed; what others left there is removed first.

    Args:
        parent: Where it lies; made where it is not there.

    Raises:
        OSError: it cannot be made there.
    """
    parent.mkdir(parents=True, exist_ok=True)
    remove_left(parent)
    scratch, lock = _made(parent)
    try:
        # A folder for one run is its maker's alone; services that run as another user read what is kept.
        scratch.chmod(0o755)
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def remove_left(parent: Path) -> None:
    """Remove the folders that no living process holds.

    Where the file system knows no locks on folders (NFS) all stay, since nobody can tell whose process lives.
    """
    for left in parent.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            lock = _locked(left)
            shutil.rmtree(left, ignore_errors=True)
            os.close(lock)


def _made(parent: Path) -> tuple[Path, int | None]:
    """A folder and the lock on it; None where the file system knows none."""
    while True:
        scratch = Path(tempfile.mkdtemp(dir=parent, prefix=_PREFIX))
        try:
            return scratch, _locked(scratch)
        except (BlockingIOError, FileNotFoundError):
            # Somebody who tidies met it before it was locked.
            continue
        except OSError:
            return scratch, None


def _locked(folder: Path) -> int:
    """A lock on a folder, as long as the descriptor that is given is open.

    Raises:
        BlockingIOError: another process has it.
        FileNotFoundError: the folder is gone.
        OSError: it is none, or the file system knows no locks.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if folder.stat().st_ino != os.fstat(descriptor).st_ino:
            raise FileNotFoundError(folder)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
