"""Threads of the library under numpy."""

from __future__ import annotations

from threadpoolctl import threadpool_limits


def one_for_each_product() -> None:
    """Let each product of matrices take one thread, in the whole process.

    Those of a search take one to two milliseconds. On several threads each waits for the slowest, and the others spin
    meanwhile: where the machine does anything else, that took ten times as long, and searches side by side use all
    processors as it is.
    """
    threadpool_limits(limits=1, user_api="blas")
