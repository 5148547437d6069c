"""Clocks that are wrong: pods whose time is hours from the broker's, either way, while hundreds of functions come in.

By libfaketime, loaded into the pods' interpreters: containers have the machine's clock and none of their own.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import disturbing
import installed

from touchstone_local.cluster import packages
from touchstone_local.cluster.installing import RELEASE

_LIBRARY = "usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"
_NAME, _PLACE, _CLOCK = "other-time", "/other-time", "/tmp/clock"
# More than the hour that a broker allows to a clock that is ahead (Kafka 4, message.timestamp.after.max.ms).
# Not the embedder's: it stands still under libfaketime, for its library's threads as it seems.
SKEWS = {"ingester": "+2h", "retriever": "-2h"}
WRONG_S = 30
ASKED = "import time; print(time.time())"


def skewed(_seconds: float) -> dict[str, Any]:
    """The ingester's clock two hours ahead and the retriever's as far behind for a while, in the middle of it."""
    seen: dict[str, float] = {}
    with _loaded(list(SKEWS)):

        def disturb(functions: str) -> list[int]:
            # Who asks for it while the clock is wrong is refused: what is in hand waits.
            read = f"SELECT count(*) FROM ingester.functions WHERE qualname LIKE '{functions}'"
            installed.until("the ingester is at work", lambda: int(installed.sql(read)), every_s=0.05)
            for service, skew in SKEWS.items():
                _set(service, skew)
            seen.update({service: round((_clock(service) - time.time()) / 3600, 2) for service in SKEWS})
            at = disturbing.indexed(functions)
            time.sleep(WRONG_S)
            held = disturbing.indexed(functions)
            for service in SKEWS:
                _set(service, "+0")
            return [at, held]

        line = disturbing.taken_in("skewed", disturb)
    wrong = {service for service, skew in SKEWS.items() if abs(seen[service] - float(skew.rstrip("h"))) > 0.1}
    problem = line["problem"] or (f"clocks were right: {', '.join(sorted(wrong))}" if wrong else "")
    return line | {"hours_ahead": seen, "problem": problem}


def _set(service: str, skew: str) -> None:
    for pod in installed.pods(service):
        # At once: a process that finds no time in it ends.
        written = f"echo {skew} > {_CLOCK}.new && mv {_CLOCK}.new {_CLOCK}"
        installed.kubectl("exec", pod["metadata"]["name"], "--", "sh", "-c", written)


def _clock(service: str) -> float:
    (pod,) = installed.pods(service)
    return float(installed.last_line(pod["metadata"]["name"], ASKED))


@contextmanager
def _loaded(services: list[str]) -> Iterator[None]:
    """The services with a clock that a file of theirs sets, and afterwards as they were."""
    folder = packages.ensure_more(installed.layout(), ("libfaketime",), lambda _words: None)
    library = base64.b64encode((folder / _LIBRARY).read_bytes()).decode()
    made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": _NAME}, "binaryData": {"time.so": library}}
    installed.kubectl("create", "-f", "-", given=json.dumps(made))
    try:
        for service in services:
            installed.kubectl("patch", "deployment", f"{RELEASE}-{service}", "--patch", json.dumps(_patch(service)))
        for service in services:
            installed.rolled_out(service)
        yield
    finally:
        for service in services:
            installed.kubectl("rollout", "undo", f"deployment/{RELEASE}-{service}")
        for service in services:
            installed.rolled_out(service)
        installed.kubectl("delete", "configmap", _NAME)


def _patch(service: str) -> dict[str, Any]:
    variables = {
        "LD_PRELOAD": f"{_PLACE}/time.so",
        "FAKETIME_TIMESTAMP_FILE": _CLOCK,
        "FAKETIME_NO_CACHE": "1",
        # Waits and timeouts go by the other clock, which no skew touches.
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "FAKETIME_DISABLE_SHM": "1",
        "NO_FAKE_STAT": "1",
    }
    container = {
        "name": service,
        "env": [{"name": name, "value": value} for name, value in variables.items()],
        "volumeMounts": [{"name": _NAME, "mountPath": _PLACE, "readOnly": True}],
    }
    spec = {"containers": [container], "volumes": [{"name": _NAME, "configMap": {"name": _NAME}}]}
    return {"spec": {"template": {"spec": spec}}}
