"""Claims runner pods through the cluster's API, each for one job, and removes them.

Two executors never have one pod: a claim is a patch of exactly the version that was seen free, and the API takes one.
"""

from __future__ import annotations

import contextlib
import json
import math
import random
import secrets
import select
import threading
import time
from dataclasses import dataclass
from typing import Any

from kubernetes.client import ApiException, CoreV1Api, V1DeleteOptions, V1Preconditions
from kubernetes.watch import Watch
from urllib3.exceptions import HTTPError

from sandbox_executor.adapters.attempt import CancelledError
from sandbox_executor.domain.pods import (
    CLAIM,
    CLAIMED,
    FREE,
    LABEL,
    RunnerPod,
    claiming,
    ended_by,
    find,
    has_ended,
    is_left_behind,
    objects,
    read_free,
)
from sandbox_executor.errors import IsolationMissingError, SandboxFaultError
from sandbox_executor.ports import Cancellation
from touchstone_runtime.telemetry import get_logger

# Of one request: to connect, to be answered.
_WITHIN_S = (5.0, 15.0)
_GONE, _CONFLICT, _NOT_FOUND = 410, 409, 404
_FORBIDDEN = (401, 403)
_log = get_logger()


@dataclass(frozen=True)
class PoolOptions:
    """Where runner pods are found.

    Attributes:
        namespace: Theirs.
        selector: Labels of the pool's pods, claimed or not, as `name=value` with commas between.
        executor: What the cluster calls the executor's own pod (its uid); empty outside of one.
        window_s: How long one watch lasts; a cancelled wait ends within it.
        pause_s: First pause when the API is away; it doubles up to sixteen times that.
        sweep_s: How often pods are looked for whose executors are gone.
    """

    namespace: str
    selector: str
    executor: str = ""
    window_s: float = 2.0
    pause_s: float = 0.25
    sweep_s: float = 60.0


@dataclass(frozen=True)
class _Grave:
    pod: RunnerPod
    claim: str = ""
    # Whether the claim may not have come about: then the pod may be somebody else's by now.
    doubtful: bool = False


class PodPool:
    """Runner pods of one namespace.

    Args:
        api: The cluster's.
        options: Where they are.
    """

    def __init__(self, api: CoreV1Api, options: PoolOptions) -> None:
        self._api = api
        self._options = options
        self._claims: dict[str, str] = {}
        self._graves: list[_Grave] = []
        self._changed = threading.Condition()
        self._closed = False
        self._sweeping = threading.Lock()
        self._next_sweep = 0.0
        self._undertaker: threading.Thread | None = None

    def claim(self, cancelled: Cancellation, deadline: float) -> RunnerPod:
        """A pod that is this executor's alone, waited for patiently; `bury` it afterwards.

        Args:
            cancelled: Ends the wait.
            deadline: When to give up, monotonic seconds.

        Raises:
            CancelledError: it was requested.
            SandboxFaultError: none came free, or the API was away for all the time.
            IsolationMissingError: the API does not let this executor claim pods.
        """
        pause, words = self._options.pause_s, "no runner pod is free"
        while True:
            if cancelled.requested:
                raise CancelledError
            if time.monotonic() >= deadline:
                raise SandboxFaultError(
                    words, thing="runner pods", way_out="give the pool more pods (runner.replicas of the chart)"
                )
            try:
                version, pods = self._list(FREE)
                self._sweep(pods)
                words = f"no runner pod is free, of {len(pods)} that are not claimed"
                free = [pod for pod in map(read_free, pods) if pod is not None]
                random.shuffle(free)
                for pod in free:
                    if self._take(pod):
                        return pod
                pause = self._options.pause_s
                if not free:
                    self._await_change(version, deadline)
            except ApiException as error:
                if error.status in _FORBIDDEN:
                    raise IsolationMissingError(
                        f"the cluster's API does not let the executor claim pods: {error.status} {error.reason}",
                        thing="runner pods",
                        way_out="let its service account get, list, watch, patch and delete pods of its namespace",
                    ) from error
                # 410: what was seen is too old to go on from; it is listed anew.
                if error.status != _GONE:
                    words = f"the cluster's API answers {error.status} {error.reason}"
                    pause = self._rest(cancelled, pause)
            except (HTTPError, ValueError) as error:
                words = f"the cluster's API is away: {type(error).__name__}"
                pause = self._rest(cancelled, pause)

    def bury(self, pod: RunnerPod) -> None:
        """Have a claimed pod removed; what cannot be removed now is tried again until it is gone."""
        self._claims.pop(pod.uid, None)
        self._dig(_Grave(pod))

    def why_ended(self, pod: RunnerPod) -> str:
        """Why a pod ended, as far as the cluster tells at once; empty when it does not."""
        try:
            return ended_by(self._get(pod.name) or {})
        except (ApiException, HTTPError, ValueError):
            return ""

    def close(self, within_s: float = 10.0) -> None:
        """Remove all pods that were claimed; what is left after so long another executor removes."""
        with self._changed:
            self._changed.wait_for(lambda: not self._graves, within_s)
            self._closed = True
            self._changed.notify_all()
        if self._undertaker is not None:
            self._undertaker.join()

    # The API

    def _list(self, state: str) -> tuple[str, list[Any]]:
        told = _read(
            self._api.list_namespaced_pod(
                self._options.namespace, label_selector=self._selector(state), _preload_content=False,
                _request_timeout=_WITHIN_S,
            )
        )  # fmt: skip
        return str(find(told, "metadata", "resourceVersion") or ""), objects(find(told, "items"))

    def _selector(self, state: str) -> str:
        return f"{self._options.selector},{LABEL}={state}"

    def _await_change(self, version: str, deadline: float) -> None:
        """Return when a pod may have come free, or the window is over."""
        left = max(1, math.ceil(min(self._options.window_s, deadline - time.monotonic())))
        with contextlib.closing(
            Watch("object").stream(
                self._api.list_namespaced_pod, self._options.namespace, label_selector=self._selector(FREE),
                resource_version=version, timeout_seconds=left, _request_timeout=(_WITHIN_S[0], left + _WITHIN_S[1]),
            )
        ) as events:  # fmt: skip
            for event in events:
                if read_free(find(event, "raw_object") or {}) is not None:
                    return

    def _take(self, pod: RunnerPod) -> bool:
        claim = secrets.token_hex(16)
        try:
            _read(
                self._api.patch_namespaced_pod(
                    pod.name, self._options.namespace, claiming(pod, claim, self._options.executor),
                    _content_type="application/merge-patch+json", _preload_content=False, _request_timeout=_WITHIN_S,
                )
            )  # fmt: skip
        except ApiException as error:
            if error.status in (_CONFLICT, _NOT_FOUND):
                return False
            if error.status not in _FORBIDDEN:
                self._dig(_Grave(pod, claim, doubtful=True))
            raise
        except (HTTPError, ValueError):
            # Nobody knows whether it came about: if it did, the pod runs nothing and must go.
            self._dig(_Grave(pod, claim, doubtful=True))
            raise
        self._claims[pod.uid] = claim
        return True

    def _get(self, name: str) -> dict[str, Any] | None:
        try:
            return _read(
                self._api.read_namespaced_pod(
                    name, self._options.namespace, _preload_content=False, _request_timeout=_WITHIN_S
                )
            )
        except ApiException as error:
            if error.status == _NOT_FOUND:
                return None
            raise

    def _sweep(self, free: list[Any]) -> None:
        """Remove pods that serve nobody any more: claimed ones, whoever had them, and free ones that ended once.

        A free pod that was started again (its node was slow, or short of memory) is ready, so that its controller
        counts it and starts no other, and yet nobody claims it: it would hold its place in the pool for ever.
        Nothing is claimed before the first sweep is over: what is claimed in this executor's name until then belongs
        to an earlier life of it.
        """
        with self._sweeping:
            if time.monotonic() < self._next_sweep:
                return
            executor = "" if self._next_sweep else self._options.executor
            _, claimed = self._list(CLAIMED)
            useless = [told for told in claimed if is_left_behind(told, executor)]
            useless += [told for told in free if has_ended(told)]
            for told in useless:
                name, uid = find(told, "metadata", "name"), find(told, "metadata", "uid")
                if uid not in self._claims:
                    _log.warning("runner_pod_serves_nobody", pod=name, why=ended_by(told))
                    self._dig(_Grave(RunnerPod(name, uid, "", "", ())))
            self._next_sweep = time.monotonic() + self._options.sweep_s

    def _rest(self, cancelled: Cancellation, pause: float) -> float:
        poll = select.poll()
        poll.register(cancelled.descriptor, select.POLLIN)
        poll.poll(pause * (0.5 + random.random()) * 1000)
        return min(pause * 2, self._options.pause_s * 16)

    # Removing

    def _dig(self, grave: _Grave) -> None:
        with self._changed:
            self._graves.append(grave)
            if self._undertaker is None:
                self._undertaker = threading.Thread(target=self._remove_all, name="runner-pods", daemon=True)
                self._undertaker.start()
            self._changed.notify_all()

    def _remove_all(self) -> None:
        pause = self._options.pause_s
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._graves or self._closed)
                if self._closed:
                    return
                graves = list(self._graves)
            left = [grave for grave in graves if not self._remove(grave)]
            with self._changed:
                self._graves = [grave for grave in self._graves if grave in left or grave not in graves]
                self._changed.notify_all()
                if left and not self._closed:
                    self._changed.wait(pause)
            pause = min(pause * 2, self._options.pause_s * 16) if left else self._options.pause_s

    def _remove(self, grave: _Grave) -> bool:
        """Remove one; whether nothing is left to do."""
        try:
            if grave.doubtful:
                told = self._get(grave.pod.name)
                if find(told, "metadata", "annotations", CLAIM) != grave.claim:
                    return True
            _read(
                self._api.delete_namespaced_pod(
                    grave.pod.name, self._options.namespace, _preload_content=False, _request_timeout=_WITHIN_S,
                    body=V1DeleteOptions(grace_period_seconds=0, preconditions=V1Preconditions(uid=grave.pod.uid)),
                )
            )  # fmt: skip
        except ApiException as error:
            if error.status in (_NOT_FOUND, _CONFLICT):
                return True
            _log.warning("runner_pod_stays", pod=grave.pod.name, status=error.status)
            return False
        except (HTTPError, ValueError) as error:
            _log.warning("runner_pod_stays", pod=grave.pod.name, error=type(error).__name__)
            return False
        return True


def _read(response: Any) -> dict[str, Any]:
    """The object in an answer.

    Raises:
        ApiException: the API refused.
    """
    if not 200 <= response.status <= 299:
        response.read()
        raise ApiException(status=response.status, reason=response.reason)
    return json.loads(response.data)
