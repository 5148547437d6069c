"""How long an event loop lets others wait."""

from __future__ import annotations

import asyncio
import time


class Pulse:
    """Measures how long the event loop lets a task wait that wants to run every 2 ms.

    Attributes:
        longest: Seconds by the clock; what else the machine does is in it.
        busiest: CPU-seconds of the loop's own thread in between, which others' work does not change.
    """

    def __init__(self) -> None:
        self.longest = self.busiest = 0.0

    async def beat(self) -> None:
        while True:
            before, used = time.perf_counter(), time.thread_time()
            await asyncio.sleep(0.002)
            self.longest = max(self.longest, time.perf_counter() - before - 0.002)
            self.busiest = max(self.busiest, time.thread_time() - used)
