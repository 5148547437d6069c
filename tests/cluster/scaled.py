"""Replicas follow the work that waits: a consumer's its lag, a server's its calls in flight.

By KEDA, which `make cluster SCALING=1` brings, and a server's by the chart's HPA without it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import custom_metrics
import disturbing
import installed

from touchstone_contracts.topics import TOPICS
from touchstone_local.cluster import installing, node
from touchstone_local.cluster.installing import NAMESPACE, RELEASE
from touchstone_local.cluster.layout import ADDRESS
from touchstone_local.errors import LocalError

CONSUMER, TOPIC = "embedder", "touchstone.function.extracted.v1"
DATABASE_PORT = 5432
# More than there are partitions, which are what shall limit it.
MOST = 6
HELD_S = 75.0
# Fewer than would be work for two.
WAKERS = 20
# A steady few: what is shown is that replicas follow, not what they bear. A search of thousands of alike codes
# takes 7 to 20 ms: a third of a call is in flight, and a replica is wanted for each tenth.
RATE, SERVERS = 40.0, 3
# Who calls already meets a new replica when its connection has lived for half a minute.
MET_WITHIN_S = 90.0
METRICS_PORT = 26443
BY_LAG = {
    "enabled": True, "minReplicas": 0, "maxReplicas": MOST, "lagThreshold": 25, "cooldownSeconds": 60,
    "pollingSeconds": 10,
}  # fmt: skip
BY_CALLS = {
    "enabled": True, "minReplicas": 1, "maxReplicas": SERVERS, "inFlight": 0.1,
    "behavior": {"scaleDown": {"stabilizationWindowSeconds": 15}},
}  # fmt: skip
# So many, and each so long, that they are work for several of the autoscaler's looks.
MANY = 3000
LONG = disturbing.FUNCTION.rstrip() + "".join(f" + track * speed ** {step} - {{words}}" for step in range(40)) + "\n\n"


def there() -> bool:
    """Whether KEDA was brought to the node."""
    try:
        return bool(installed.kubectl("get", "crd", "scaledobjects.keda.sh", "--ignore-not-found", "-o", "name"))
    except (RuntimeError, LocalError):
        return False


class Watch:
    """How many replicas a service is told to have, from now on.

    Args:
        service: The service.
    """

    def __init__(self, service: str) -> None:
        self._service = service
        self._began = time.monotonic()
        self._seen: list[tuple[float, int]] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.is_set():
            time.sleep(1)
            try:
                count = replicas(self._service)
            except RuntimeError:
                # The API was too busy to answer in time.
                continue
            self._seen.append((round(time.monotonic() - self._began, 1), count))

    def since(self, moment: float) -> list[int]:
        """Counts that were seen after a moment of the monotonic clock."""
        return [count for after_s, count in self._seen if after_s >= moment - self._began]

    def changes(self) -> list[tuple[float, int]]:
        """When there was another count than before, in seconds, and which."""
        return changes(self._seen)


def changes(seen: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """The first of each run of equal counts.

    Args:
        seen: Seconds and counts, in order.
    """
    return [each for before, each in zip([(0.0, -1), *seen], seen, strict=False) if before[1] != each[1]]


def replicas(service: str) -> int:
    """How many replicas a service is told to have."""
    words = ("get", "deployment", f"{RELEASE}-{service}", "-o", "jsonpath={.spec.replicas}")
    return int(installed.kubectl(*words))


def lag(_seconds: float) -> dict[str, Any]:
    """A consumer at rest, woken, held while thousands of events wait, and let go: 0, 1, as many as partitions, 0."""
    _demand_keda()
    partitions = next(topic.partitions for topic in TOPICS if topic.name == TOPIC)
    with _autoscaled(CONSUMER, BY_LAG, {}), Watch(CONSUMER) as watch:
        installed.until("nothing waits, nobody runs", lambda: replicas(CONSUMER) == 0 and installed.gone(CONSUMER))
        slept = time.monotonic()
        with disturbing.written("wakers", int(time.time()) - 1, WAKERS) as folder:
            disturbing.add(folder)
            installed.until("one is woken", lambda: [*filter(installed.is_ready, installed.pods(CONSUMER))])
        woken_s = round(time.monotonic() - slept, 1)
        held: list[int] = []
        freed = 0.0

        def hold(functions: str) -> list[int]:
            nonlocal freed
            # It keeps its partitions and hands nothing back, as a consumer does that is halted or has spent its budget.
            with installed.cut_off(
                [installed.task(pod["metadata"]["name"]) for pod in installed.pods(CONSUMER)], DATABASE_PORT
            ):
                began = time.monotonic()
                at = disturbing.indexed(functions)
                time.sleep(HELD_S)
                held.extend(watch.since(began))
                ended = disturbing.indexed(functions)
            freed = time.monotonic()
            return [at, ended]

        line = disturbing.taken_in("scaled", hold, LONG, MANY)
        done = time.monotonic()
        installed.until("nobody runs again", lambda: replicas(CONSUMER) == 0 and installed.gone(CONSUMER))
        slept_s = round(time.monotonic() - done, 1)
        most = max(watch.since(freed))
    problem = line["problem"]
    if set(held) != {1}:
        problem = problem or "a consumer that hands nothing back was given more of its kind, or taken away"
    if most != partitions:
        problem = problem or f"{most} replicas at most, of {partitions} partitions"
    return line | {
        "woken_s": woken_s, "held": sorted(set(held)), "most": most, "partitions": partitions, "allowed": MOST,
        "slept_again_s": slept_s, "changes": watch.changes(), "problem": problem,
    }  # fmt: skip


def calls(seconds: float) -> dict[str, Any]:
    """A few searches a second for one retriever, which KEDA gives more of its kind, and leaves alone after them."""
    _demand_keda()
    prometheus = {"address": f"http://{RELEASE}-demo-prometheus.{NAMESPACE}.svc:9090"}
    with _autoscaled("retriever", BY_CALLS, {"scaling": {"prometheus": prometheus}}):
        return _called(seconds)


def hpa(seconds: float) -> dict[str, Any]:
    """The same by the chart's own HPA, whose metrics come from Prometheus by the API of custom metrics."""
    command = [sys.executable, str(installed.HERE / "custom_metrics.py"), str(METRICS_PORT)]
    serving = subprocess.Popen(node.inside(installed.layout(), command), cwd="/", stdin=subprocess.PIPE)
    made = json.dumps({"apiVersion": "v1", "kind": "List", "items": custom_metrics.objects(ADDRESS, METRICS_PORT)})
    try:
        installed.call("kubectl", "apply", "--filename", "-", given=made)
        told = f"apiservice/v1beta2.{custom_metrics.GROUP}"
        installed.call("kubectl", "wait", "--for=condition=Available", told, "--timeout=120s")
        with _autoscaled("retriever", BY_CALLS, {}):
            return _called(seconds)
    finally:
        installed.call("kubectl", "delete", "--ignore-not-found", "--filename", "-", given=made)
        serving.communicate()


def _called(seconds: float) -> dict[str, Any]:
    with Watch("retriever") as watch:
        installed.until("one retriever", lambda: len(installed.pods("retriever")) == 1)
        load = installed.Load(RATE, 180 + MET_WITHIN_S + seconds, 1)
        load.begun()
        began = time.monotonic()
        installed.until("there are more", lambda: sum(map(installed.is_ready, installed.pods("retriever"))) > 1, 180)
        more_s = round(time.monotonic() - began, 1)
        installed.until("all have calls", _all_called, MET_WITHIN_S)
        met_s = round(time.monotonic() - began, 1)
        load.over()
        came = load.ended()
        answered = sorted(installed.searches(pod) for pod in installed.pods("retriever"))
        ended = time.monotonic()
        installed.until("one is left", lambda: replicas("retriever") == 1)
        fewer_s = round(time.monotonic() - ended, 1)
    problem = "" if not came["failed"] and answered[0] else "searches failed, or a replica had none"
    return {
        **came, "by_replica": answered, "more_s": more_s, "met_s": met_s, "fewer_s": fewer_s,
        "changes": watch.changes(), "problem": problem,
    }  # fmt: skip


def _all_called() -> bool:
    return all(installed.is_ready(pod) and installed.searches(pod) for pod in installed.pods("retriever"))


def _demand_keda() -> None:
    if not there():
        raise RuntimeError("KEDA is not on the node: run make cluster SCALING=1")


@contextmanager
def _autoscaled(service: str, how: dict[str, Any], more: dict[str, Any]) -> Iterator[None]:
    """The installation with one service's replicas left to an autoscaler, and afterwards as it was."""
    layout = installed.layout()
    (backend,) = json.loads((layout.state / "values.json").read_text())["executor"].values()
    # Nothing of a schema changes, so the jobs that would look are left out.
    given = {"migrations": {"hook": False}, "services": {service: {"autoscaling": how}}, **more}
    file = Path(layout.state, "scaled.json")
    file.write_text(json.dumps(given))
    try:
        installing.install(layout, backend, lambda _words: None, [file])
        yield
    finally:
        # Without an autoscaler first: helm does not take a count over that another one holds at something else.
        installed.kubectl(
            "delete", "scaledobject,hpa" if there() else "hpa", f"{RELEASE}-{service}", "--ignore-not-found"
        )
        installed.scale(service, 1)
        installing.install(layout, backend, lambda _words: None)
