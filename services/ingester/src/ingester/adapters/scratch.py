"""Folders for what is downloaded and unpacked; those of a process that was killed are emptied by the next one."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path

_PREFIX = "process-"
_LOCK = "lock"


class Scratch:
    """A folder of this process below one that several may share.

    Args:
        root: The shared folder; made when missing.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._own: Path | None = None

    def folder(self) -> Path:
        """This process's own folder, made when it is asked for first."""
        if self._own is None or not self._own.is_dir():
            self._root.mkdir(parents=True, exist_ok=True)
            held = os.open(self._root / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                # Nobody sees a folder that is made and not locked yet.
                fcntl.flock(held, fcntl.LOCK_EX)
                self._empty_those_left()
                own = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=self._root))
                # Held open as long as this process lives, however it ends.
                fcntl.flock(os.open(own / _LOCK, os.O_RDWR | os.O_CREAT, 0o600), fcntl.LOCK_EX)
            finally:
                os.close(held)
            self._own = own
        return self._own

    def _empty_those_left(self) -> None:
        # Before folders had a process each, a source's lay here.
        for left in (*self._root.glob("source-*"), *self._root.glob(f"{_PREFIX}*")):
            try:
                lock = os.open(left / _LOCK, os.O_RDWR)
            except OSError:
                shutil.rmtree(left, ignore_errors=True)
                continue
            # Its process lives: nothing of it is ours.
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left, ignore_errors=True)
            os.close(lock)
