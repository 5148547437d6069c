"""Threads that stand back behind others of the same process."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

_T = TypeVar("_T")


def stand_back(nice: int) -> None:
    """Put the calling thread, and the threads that it starts from now on, behind others that want the processor.

    Linux alone weighs threads; elsewhere, and where it is not allowed, they run as others do.

    Args:
        nice: How far, 0 to 19.
    """
    if sys.platform == "linux" and nice:
        thread = threading.get_native_id()
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, thread, min(19, os.getpriority(os.PRIO_PROCESS, thread) + nice))


def standing_back(nice: int, work: Callable[[], _T]) -> _T:
    """What `work` gives, done in a thread that stands back, so that threads which it leaves behind do so too."""
    with ThreadPoolExecutor(1, "standing-back", lambda: stand_back(nice)) as behind:
        return behind.submit(work).result()
