"""Pauses of Python's garbage collector: what stays for good is not looked through again and again."""

from __future__ import annotations

import gc


def keep() -> None:
    """Have everything that lives now left out of later collections; what nobody refers to any more still goes at once.

    A full collection stops every thread and looks at all objects: at half a million some 200 ms, in which no event loop
    goes on. Garbage in a cycle that lives at this moment stays, so this is for moments after much was made that stays.
    """
    gc.freeze()
