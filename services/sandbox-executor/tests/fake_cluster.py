"""A cluster's API as far as pods go, over HTTP, with a controller that keeps so many free ones, and its moods.

Versions, conflicts, watches that end or are too old, selectors by equality, merge patches and preconditions are as the
API server has them; whatever a runner's executor may not do is refused with 403.
"""

from __future__ import annotations

import contextlib
import copy
import http.server
import itertools
import json
import os
import socket
import threading
import time
import urllib.parse

from kubernetes.client import Configuration

NAMESPACE = "touchstone"
LABELS = {"app.kubernetes.io/name": "sandbox-runner", "app.kubernetes.io/instance": "touchstone"}
SELECTOR = ",".join(f"{name}={value}" for name, value in LABELS.items())
SPEC = {
    "automountServiceAccountToken": False,
    "containers": [
        {"name": "runner", "env": [{"name": "UID", "valueFrom": {"fieldRef": {"fieldPath": "metadata.uid"}}}]}
    ],
    "volumes": [{"name": "state", "emptyDir": {}}],
}

_addresses = itertools.count()


def matches(pod, selector):
    labels = pod["metadata"]["labels"]
    return all(labels.get(name) == value for name, _, value in (part.partition("=") for part in selector.split(",")))


def merge(old, patch):
    """A merge patch (RFC 7386)."""
    if not isinstance(patch, dict) or not isinstance(old, dict):
        return {name: merge({}, value) for name, value in patch.items()} if isinstance(patch, dict) else patch
    found = dict(old)
    for name, value in patch.items():
        if value is None:
            found.pop(name, None)
        else:
            found[name] = merge(found.get(name), value)
    return found


class FakeCluster:
    """One namespace of pods.

    Args:
        start: Called with a new pod's name, uid and address in a thread of its own; returns what ends its processes
            once they can be reached. Without it nothing runs in pods, and they are ready at once.
        replicas: Free pods that the controller keeps.
    """

    def __init__(self, start=None, replicas=0):
        self.start = start
        self.replicas = replicas
        self.pods = {}
        self.changed = threading.Condition(threading.RLock())
        self.asked = []
        self.away = False
        self.slow_s = 0.0
        self.refuse = 0
        self.lose_answers_of = set()
        self.spec = SPEC
        self._numbers = itertools.count(1)
        self._version = 100
        self._oldest = 0
        self._events = []
        self._running = {}
        self._starting = []
        self._closed = False
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        self._reconcile()

    def configuration(self):
        configuration = Configuration()
        configuration.host = f"http://127.0.0.1:{self.server.server_port}"
        return configuration

    def close(self):
        with self.changed:
            self._closed = True
            self.replicas = 0
            for name in list(self.pods):
                self.remove(name)
            self.changed.notify_all()
        # What comes up now is ended at once.
        for thread in self._starting:
            thread.join()
        self.server.shutdown()
        self.server.server_close()

    # What happens in the cluster

    def add(self, *, ready=True, **metadata):
        """A free pod of the pool."""
        with self.changed:
            number = next(self._numbers)
            name = f"runner-{number}"
            pod = {
                "metadata": {
                    "name": name,
                    "namespace": NAMESPACE,
                    "uid": f"uid-{number}",
                    "labels": {**LABELS, "touchstone.dev/runner": "free"},
                    "annotations": {},
                    "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "rs-1"}],
                    **metadata,
                },
                "spec": copy.deepcopy(self.spec),
                "status": {"phase": "Pending"},
            }
            self._store("ADDED", pod)
        if ready:
            self._begin(name)
        return name

    def _begin(self, name):
        uid = self.pods[name]["metadata"]["uid"]
        number = next(_addresses)
        # Of this process, and never given twice: what is on its way out may still have the one before.
        address = f"127.{64 + os.getpid() % 180}.{number // 250}.{number % 250 + 1}"

        def run():
            end = self.start(name, uid, address) if self.start is not None else lambda: None
            with self.changed:
                if name not in self.pods or self._closed:
                    end()
                    return
                self._running[name] = end
            self.tell(name, {"phase": "Running", "podIP": address, "conditions": [{"type": "Ready", "status": "True"}]})

        if self.start is None:
            run()
        else:
            thread = threading.Thread(target=run, daemon=True)
            self._starting.append(thread)
            thread.start()

    def tell(self, name, status):
        """The node's report of a pod."""
        with self.changed:
            if name in self.pods:
                self._store("MODIFIED", merge(self.pods[name], {"status": status}))

    def kill(self, name, reason=""):
        """End what runs in a pod, which stays."""
        with self.changed:
            self._running.pop(name, lambda: None)()
        state = {"terminated": {"reason": reason, "exitCode": 137}}
        self.tell(name, {"phase": "Failed", "containerStatuses": [{"restartCount": 0, "state": state}]})

    def remove(self, name):
        """A pod is gone."""
        with self.changed:
            pod = self.pods.pop(name, None)
            end = self._running.pop(name, None)
            if pod is not None:
                self._version += 1
                pod["metadata"]["resourceVersion"] = str(self._version)
                self._events.append((self._version, "DELETED", pod, pod))
                self.changed.notify_all()
        if end is not None:
            end()
        self._reconcile()

    def compact(self):
        """Forget all that watches could go on from."""
        with self.changed:
            self._oldest = self._version + 1
            self._version += 5

    def _store(self, kind, pod):
        with self.changed:
            before = self.pods.get(pod["metadata"]["name"])
            self._version += 1
            pod["metadata"]["resourceVersion"] = str(self._version)
            self.pods[pod["metadata"]["name"]] = pod
            self._events.append((self._version, kind, pod, before))
            self.changed.notify_all()

    def _reconcile(self):
        with self.changed:
            free = [p for p in self.pods.values() if p["metadata"]["labels"]["touchstone.dev/runner"] == "free"]
            missing = self.replicas - len(free)
        for _ in range(missing):
            self.add()

    def state(self, name):
        with self.changed:
            pod = self.pods.get(name)
            return pod and pod["metadata"]["labels"]["touchstone.dev/runner"]

    def until(self, holds, within_s=30.0):
        with self.changed:
            assert self.changed.wait_for(holds, within_s)

    # What is asked of the API

    def _handler(outer):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self):
                super().setup()
                self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

            def _begin(self, verb):
                with outer.changed:
                    outer.asked.append((verb, self.path))
                    outer.changed.notify_all()
                if outer.away:
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return False
                if outer.slow_s:
                    time.sleep(outer.slow_s)
                if outer.refuse:
                    self._status(outer.refuse, "Refused")
                    return False
                return True

            def _json(self, told, code=200):
                data = json.dumps(told).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def _status(self, code, reason):
                self._json({"kind": "Status", "status": "Failure", "reason": reason, "code": code, "message": ""}, code)

            def _body(self):
                return json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")

            def _place(self):
                """The pod's name; empty for all; None for what nobody may touch."""
                path, _, query = self.path.partition("?")
                self.query = dict(urllib.parse.parse_qsl(query))
                root = f"/api/v1/namespaces/{NAMESPACE}/pods"
                if path == root:
                    return ""
                name = path.removeprefix(root + "/")
                return name if path.startswith(root + "/") and "/" not in name else None

            def do_GET(self):
                name = self._place()
                verb = "get" if name else "watch" if self.query.get("watch") else "list"
                if not self._begin(verb):
                    return
                if name is None:
                    self._status(403, "Forbidden")
                elif verb == "get":
                    with outer.changed:
                        pod = copy.deepcopy(outer.pods.get(name))
                    self._json(pod) if pod else self._status(404, "NotFound")
                elif verb == "list":
                    with outer.changed:
                        chosen = [p for p in outer.pods.values() if matches(p, self.query["labelSelector"])]
                        told = {"kind": "PodList", "apiVersion": "v1", "items": copy.deepcopy(chosen),
                                "metadata": {"resourceVersion": str(outer._version)}}  # fmt: skip
                    self._json(told)
                else:
                    self._watch()

            def _watch(self):
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                version = int(self.query["resourceVersion"])
                end = time.monotonic() + int(self.query["timeoutSeconds"])
                with contextlib.suppress(OSError):
                    while True:
                        with outer.changed:
                            if version < outer._oldest:
                                expired = {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old"}
                                self._chunk({"type": "ERROR", "object": expired})
                                break
                            news = [event for event in outer._events if event[0] > version]
                            if not news:
                                left = end - time.monotonic()
                                if left <= 0 or outer.away or outer._closed:
                                    break
                                outer.changed.wait(min(left, 0.2))
                                continue
                            news = copy.deepcopy(news)
                        for number, kind, pod, before in news:
                            version = number
                            is_in = kind != "DELETED" and matches(pod, self.query["labelSelector"])
                            was_in = before is not None and matches(before, self.query["labelSelector"])
                            if is_in or was_in:
                                self._chunk(
                                    {"type": "DELETED" if not is_in else kind if was_in else "ADDED", "object": pod}
                                )
                    self.wfile.write(b"0\r\n\r\n")

            def _chunk(self, event):
                data = json.dumps(event).encode() + b"\n"
                self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

            def do_PATCH(self):
                patch, name = self._body(), self._place()
                if not self._begin("patch"):
                    return
                if self.headers["Content-Type"] != "application/merge-patch+json" or not name:
                    self._status(415 if name else 403, "Refused")
                    return
                with outer.changed:
                    pod = outer.pods.get(name)
                    wanted = patch.get("metadata", {})
                    if pod is None:
                        self._status(404, "NotFound")
                        return
                    for field in ("resourceVersion", "uid"):
                        if wanted.get(field, pod["metadata"][field]) != pod["metadata"][field]:
                            self._status(409, "Conflict")
                            return
                    outer._store("MODIFIED", merge(pod, patch))
                    told = copy.deepcopy(outer.pods[name])
                outer._reconcile()
                self._answer("patch", told)

            def do_DELETE(self):
                options, name = self._body(), self._place()
                if not self._begin("delete"):
                    return
                if not name:
                    self._status(403, "Forbidden")
                    return
                with outer.changed:
                    pod = outer.pods.get(name)
                    uid = options.get("preconditions", {}).get("uid")
                    if pod is None or (uid and uid != pod["metadata"]["uid"]):
                        self._status(404 if pod is None else 409, "Refused")
                        return
                outer.remove(name)
                self._answer("delete", pod)

            def _answer(self, verb, told):
                if verb in outer.lose_answers_of:
                    outer.lose_answers_of.discard(verb)
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                self._json(told)

            def do_POST(self):
                self._body()
                if self._begin("create"):
                    self._status(403, "Forbidden")

            do_PUT = do_POST

            def log_message(self, *_):
                pass

        return Handler
