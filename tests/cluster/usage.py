"""What pods of services take: processor-seconds by their control groups, memory, jobs of the executor."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import installed

EXECUTOR, JOBS = "sandbox-executor", "touchstone_sandbox_executor_jobs_total"
Line = dict[str, Any]


class Usage:
    """What pods of services take from now on.

    Args:
        services: Whose pods; they stay the same meanwhile.
    """

    def __init__(self, services: Sequence[str]) -> None:
        self._pods = {name: [pod["metadata"]["uid"] for pod in installed.pods(name)] for name in services}
        self._most = dict.fromkeys(services, 0)
        self._jobs = self._counted() if EXECUTOR in services else 0
        self._last = self._before = self._processors()
        self._began = self._ended = time.monotonic()

    def look(self) -> bool:
        """Note what is in use now; for use in conditions."""
        self._ended = time.monotonic()
        self._last = self._processors()
        for name, pods in self._pods.items():
            resident = [
                int(text.split("total_rss ")[1].split()[0]) for text in self._read(pods, "memory", "memory.stat")
            ]
            self._most[name] = max(self._most[name], *resident)
        return True

    def told(self, many: int, seconds: float = 0.0) -> Line:
        """What so many pieces of work took.

        Args:
            many: Pieces.
            seconds: How long they took; 0: from the beginning to the last look.
        """
        took = seconds or self._ended - self._began
        each = {name: round((self._last[name] - self._before[name]) / many, 4) for name in self._before}
        line = {
            "pieces": many, "seconds": round(took, 1), "a_second": round(many / took, 2), "processor_s_each": each,
            "resident_mb": {name: round(most / 1e6) for name, most in self._most.items()},
        }  # fmt: skip
        return line | ({"jobs_each": round((self._counted() - self._jobs) / many, 1)} if EXECUTOR in self._pods else {})

    @staticmethod
    def _counted() -> int:
        """Jobs that executors have ended; their pods are the same from first to last."""
        return sum(installed.counted(pod, JOBS) for pod in installed.pods(EXECUTOR))

    def _processors(self) -> dict[str, float]:
        """Processor-seconds of each service, of all pods, those that have ended among them, and of what runs them."""
        used = {
            name: sum(int(text) for text in self._read(pods, "cpuacct", "cpuacct.usage")) / 1e9
            for name, pods in self._pods.items()
        }
        return used | {"all pods": installed.processor_s(), "node": installed.processor_s("daemons")}

    @staticmethod
    def _read(pods: Sequence[str], hierarchy: str, file: str) -> list[str]:
        pattern = " ".join(f"/sys/fs/cgroup/{hierarchy}/kubepods/*/pod{uid}/{file}" for uid in pods)
        script = f"for file in {pattern}; do cat $file || exit 1; echo ---; done"
        return [text for text in installed.call("sh", "-c", script).split("---") if text.strip()]
