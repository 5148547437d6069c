"""Backup and restore as `k8s/README.md` documents them: a platform made anew shows the old board and releases."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import installed

from touchstone_local.cluster import disks, node
from touchstone_local.cluster.installing import RELEASE

# What a restored platform must show as it was: asked in a pod, where the platform's addresses are known.
SHOWN = """
import json, time
from google.protobuf.json_format import MessageToDict
from touchstone.evaluator.v1 import evaluator_pb2 as e, evaluator_pb2_grpc as er
from touchstone.pbt_generator.v1 import pbt_generator_pb2 as g, pbt_generator_pb2_grpc as gr
from touchstone.retriever.v1 import retriever_pb2 as r, retriever_pb2_grpc as rr
from touchstone_runtime.dialling import dial_blocking
from touchstone_runtime.settings import ServiceSettings
s = ServiceSettings()
def stub(kind, address):
    return kind(dial_blocking(address, s.identity()))
generator = stub(gr.PbtGeneratorServiceStub, s.pbt_generator_address)
evaluator = stub(er.EvaluatorServiceStub, s.evaluator_address)
retriever = stub(rr.RetrieverServiceStub, s.retriever_address)
known = {"wait_for_ready": True, "timeout": 300}
releases = [MessageToDict(each) for each in generator.ListReleases(g.ListReleasesRequest(), **known).releases]
tasks = sorted(each.task_id for each in generator.ListTasks(g.ListTasksRequest(), **known).tasks)
board = MessageToDict(evaluator.Leaderboard(e.LeaderboardRequest(), **known))
def searched():
    return retriever.Search(r.SearchRequest(query="count the vowels of a text", limit=5), **known)
# While the embedder loads its models words alone rank, which says nothing of the index.
until = time.monotonic() + 300
while (answer := searched()).results and (answer.left_out or answer.parts == ["text"]):
    if time.monotonic() > until:
        break
    time.sleep(1)
shown = {"releases": releases, "tasks": tasks, "board": board}
shown["found"] = [each.location.qualname for each in answer.results]
shown["ranked_by"] = sorted(answer.parts)
print(json.dumps(shown, sort_keys=True))
"""
FREEZE = """
import sys
from touchstone.pbt_generator.v1 import pbt_generator_pb2 as g, pbt_generator_pb2_grpc as gr
from touchstone_runtime.dialling import dial_blocking
from touchstone_runtime.settings import ServiceSettings
s = ServiceSettings()
stub = gr.PbtGeneratorServiceStub(dial_blocking(s.pbt_generator_address, s.identity()))
stub.CreateRelease(g.CreateReleaseRequest(name=sys.argv[1]), wait_for_ready=True, timeout=300)
"""
POSTGRES = ("exec", "-i", installed.DATABASE, "--")
# What the store knows of an object beside its bytes lies in attributes of the file.
BUCKETS = ("exec", "-i", installed.STORE, "--", "tar", "--xattrs", "-C", "/var/lib/demo/buckets", "--file", "-")
TOPICS = ("exec", "-i", f"job/{RELEASE}-desk", "--", "python", "-m", "touchstone_runtime.topic_backup")
AS_ADMINISTRATOR = ("-U", RELEASE, "-h", "/tmp", "-d", RELEASE)


def restored(_seconds: float) -> dict[str, Any]:
    """Back up, remove the installation with its data, install anew, restore, and compare what is shown."""
    frozen = f"before-{int(time.time())}"
    _in_a_pod(FREEZE, frozen)
    before = json.loads(_in_a_pod(SHOWN))
    (backend,) = json.loads((installed.layout().state / "values.json").read_text())["executor"].values()
    with tempfile.TemporaryDirectory(prefix="backup-", dir=installed.layout().state) as made:
        dump, archive, topics = (Path(made, name) for name in ("touchstone.dump", "blobs.tar", "topics.gz"))
        began = time.monotonic()
        counts = _stop()
        with dump.open("wb") as sink:
            _binary([*POSTGRES, "pg_dump", *AS_ADMINISTRATOR, "--format=custom"], sink=sink)
        with archive.open("wb") as sink:
            _binary([*BUCKETS, "--create", "."], sink=sink)
        with topics.open("wb") as sink, _desk():
            _binary([*TOPICS, "write"], sink=sink)
        backed_up = time.monotonic()
        size = sum(file.stat().st_size for file in (dump, archive, topics))
        remove()
        subprocess.run(
            [sys.executable, "-m", "touchstone_local.cluster", "install", "--backend", backend],
            check=True, stdout=sys.stderr,
        )  # fmt: skip
        empty = json.loads(_in_a_pod(SHOWN, tries=3))
        installed_anew = time.monotonic()
        _stop()
        with dump.open("rb") as source:
            restore = ("pg_restore", *AS_ADMINISTRATOR, "--clean", "--if-exists", "--single-transaction")
            _binary([*POSTGRES, *restore], source=source)
        with archive.open("rb") as source:
            _binary([*BUCKETS, "--extract"], source=source)
        with topics.open("rb") as source, _desk():
            _binary([*TOPICS, "restore"], source=source)
        for service, count in counts.items():
            installed.scale(service, count)
        ended = time.monotonic()
    after = json.loads(_in_a_pod(SHOWN))
    wrong = sorted(name for name, value in before.items() if after[name] != value)
    vacuous = before["releases"] == [] or not before["board"] or empty["releases"] or empty["tasks"]
    return {
        "releases": len(after["releases"]), "tasks": len(after["tasks"]), "bytes": size,
        "backup_s": round(backed_up - began, 1), "restore_s": round(ended - installed_anew, 1),
        "problem": f"differ: {', '.join(wrong)}" if wrong else "nothing was compared" if vacuous else "",
    }  # fmt: skip


@contextmanager
def _desk() -> Generator[None]:
    """A pod that reaches the broker, as the chart describes one, while the services are stopped."""
    job = f"{RELEASE}-desk"
    installed.kubectl("create", "job", job, f"--from=cronjob/{RELEASE}-topics")
    try:
        ready = ("wait", "--for=condition=Ready", "pod", "-l", f"job-name={job}", "--timeout=300s")
        installed.until(
            "a pod for the topics", lambda: installed.kubectl("get", "pod", "-l", f"job-name={job}", "-o", "name")
        )
        installed.kubectl(*ready)
        yield
    finally:
        installed.kubectl("delete", "job", job, "--cascade=foreground", "--ignore-not-found")


def _in_a_pod(script: str, *words: str, tries: int = 1) -> str:
    for left in reversed(range(tries)):
        pod = next(filter(installed.is_ready, installed.pods("evaluator")))["metadata"]["name"]
        try:
            return installed.kubectl("exec", pod, "--", "python", "-c", script, *words).strip()
        except RuntimeError:
            if not left:
                raise
            time.sleep(5)
    raise AssertionError


def _stop() -> dict[str, int]:
    """End every pod of the services; gives how many there were of each."""
    chosen = ("-l", f"app.kubernetes.io/part-of={RELEASE}")
    listed = json.loads(installed.kubectl("get", "deployments", *chosen, "-o", "json"))["items"]
    installed.kubectl("scale", "deployment", *chosen, "--replicas=0")
    names = {one["metadata"]["labels"]["app.kubernetes.io/name"]: one["spec"]["replicas"] for one in listed}
    for service in names:
        gone = ("wait", "--for=delete", "pod", "-l", f"app.kubernetes.io/name={service}", "--timeout=300s")
        installed.kubectl(*gone)
    return names


def remove() -> None:
    """Take the installation away, with all that its volumes hold."""
    installed.call(sys.executable, "-m", "touchstone_local.cluster.release", "remove")
    # Pods of the chart's tests are nobody's once they ended.
    installed.kubectl("delete", "pod", "-l", "app.kubernetes.io/component=test", "--ignore-not-found")
    gone = ("wait", "--for=delete", "--timeout=300s")
    installed.kubectl(*gone, "pod", "-l", f"app.kubernetes.io/instance={RELEASE}")
    installed.kubectl(*gone, "namespace", f"{RELEASE}-runners")
    for name in disks.NAMES:
        installed.call("find", str(disks.place(installed.layout(), name)), "-mindepth", "1", "-delete")


def _binary(words: list[str], *, source: Any = None, sink: Any = None) -> None:
    command = node.inside(installed.layout(), [*installed.KUBECTL, *words])
    done = subprocess.run(command, stdin=source, stdout=sink, stderr=subprocess.PIPE, check=False, cwd="/")
    if done.returncode != 0:
        raise RuntimeError(f"{words[4]}: {done.stderr.decode(errors='replace')[-900:]}")
