"""Pairs labelled by one, two and four annotators, whose model answers each question after the same time.

What is measured is the annotator: a model of the cluster's own would take the processors for itself.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import disturbing
import installed
from usage import EXECUTOR, Usage

from touchstone_local.cluster import installing

ANNOTATOR, PAIRS = "annotator", "touchstone_annotator_pairs_labelled_total"
MODEL, PORT, ANSWERS_AFTER_S = "answering", 8111, 1.0
READ = "At a glance"
# How a query of each kind begins, and what decides its pairs.
KINDS = {"pairs read": (READ, "screener"), "pairs tested": ("By trying", "execution")}
# A query has so many candidates; with runner pods each test of a pair has some pods of its own.
CANDIDATES, QUERIES, QUERIES_IN_PODS = 20, 3, 1
# More than the candidates of a query, so that nothing else is among them. Without a branch: no task comes of them. Each
# has its own number of signs, so that they differ also without words (else one answer would do for all), and so many
# that they are nearly the same (else those labelled for other queries would show that the test cannot fail).
CODES = 40
CODE = '''
def sailing_{number}(hours, masts):
    """Give the minutes that ship {number} is late by, its number, and its masts, on sea {words}."""
    return [hours * 60, {number} ++++{words:+>{words}}, masts]

'''
QUERY = "{kind}: sailing of ship {number}, the minutes that it is late by and its masts"
IMPORT = """
import sys
from touchstone.retriever.v1 import retriever_pb2 as pb, retriever_pb2_grpc as rpc
from touchstone_runtime.dialling import dial_blocking
from touchstone_runtime.settings import ServiceSettings
settings = ServiceSettings()
stub = rpc.RetrieverServiceStub(dial_blocking(settings.retriever_address, settings.identity()))
queries = [pb.Query(text=text, origin="loaded") for text in sys.argv[2:]]
request = pb.ImportQueriesRequest(queries=queries, candidates=int(sys.argv[1]))
print(len(stub.ImportQueries(request, wait_for_ready=True, timeout=300).query_ids))
"""
STATS = f"""
import urllib.request
print(urllib.request.urlopen("http://127.0.0.1:{PORT}/stats", timeout=60).read().decode())
"""
_SCRIPTS = ("cluster/answering.py", "e2e/fake_llm.py")
Line = dict[str, Any]


@contextmanager
def with_model() -> Iterator[None]:
    """Codes to label, and an annotator with a model; afterwards the installation as it was."""
    layout = installed.layout()
    (backend,) = json.loads((layout.state / "values.json").read_text())["executor"].values()
    file = Path(layout.state, "labelled.json")
    file.write_text(json.dumps(values()))
    try:
        _code()
        for each in objects():
            installed.kubectl("create", "-f", "-", given=json.dumps(each))
        installed.kubectl("wait", "--for=condition=Ready", f"pod/{MODEL}", "--timeout=300s")
        installing.install(layout, backend, lambda _words: None, [file])
        yield
    finally:
        installing.install(layout, backend, lambda _words: None)
        installed.kubectl("delete", "pod,service,configmap", MODEL, "--ignore-not-found")


def values() -> Line:
    """What an operator would say of the model."""
    settings = {"TOUCHSTONE_LLM_MODEL": f"{MODEL}@http://{MODEL}:{PORT}/v1"}
    # Nothing of a schema changes, so the jobs that would look are left out.
    return {"migrations": {"hook": False}, "services": {ANNOTATOR: {"settings": settings}}}


def objects() -> list[Line]:
    """The model's pod with its scripts, and a name for it."""
    # As a pod of the platform: where policies are enforced, it may be asked.
    labels = {"app.kubernetes.io/part-of": installed.RELEASE, "answers": "annotator"}
    around = {"name": MODEL, "namespace": installed.NAMESPACE, "labels": labels}
    scripts = {Path(name).name: (installed.HERE.parent / name).read_text() for name in _SCRIPTS}
    container = {
        "command": ["python", f"/scripts/{Path(_SCRIPTS[0]).name}", str(PORT), str(ANSWERS_AFTER_S), READ],
        "env": [{"name": "PYTHONDONTWRITEBYTECODE", "value": "1"}],
        "volumeMounts": [{"name": "scripts", "mountPath": "/scripts"}],
        "readinessProbe": {"httpGet": {"path": "/health", "port": PORT}, "periodSeconds": 1},
    }
    volumes = [{"name": "scripts", "configMap": {"name": MODEL}}]
    name = {"clusterIP": "None", "selector": labels, "ports": [{"port": PORT}]}
    return [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": around, "data": scripts},
        {"apiVersion": "v1", "kind": "Service", "metadata": around, "spec": name},
        installed.restricted_pod(around, container, {"volumes": volumes}),
    ]


def _code() -> None:
    salt = int(time.time())
    with disturbing.written("sailings", salt, CODES, CODE) as folder:
        disturbing.add(folder)
        installed.until("the codes are indexed", lambda: disturbing.indexed(f"sailing_{salt}%") == CODES)


def labelled(kind: str) -> Line:
    """Queries of one kind, from their import to the last label of their candidates.

    Args:
        kind: One of `KINDS`.
    """
    begins, decides = KINDS[kind]
    salt = int(time.time())
    count = QUERIES_IN_PODS if installed.has_pods() else QUERIES
    texts = [QUERY.format(kind=begins, number=salt * disturbing.SPAN + number) for number in range(count)]
    named = f"LIKE '{QUERY.format(kind=begins, number=f'{salt}%')}'"
    many = count * CANDIDATES
    begun, counted, asked = _begun(), _counted(), _asked()
    usage = Usage((ANNOTATOR,) if decides == "screener" else (ANNOTATOR, EXECUTOR))
    (pod,) = installed.pods("retriever")
    installed.last_line(pod["metadata"]["name"], IMPORT, str(CANDIDATES), *texts)
    labels = f"SELECT count(*) FROM annotator.labels WHERE query {named}"
    installed.until("all pairs are labelled", lambda: usage.look() and int(installed.sql(labels)) >= many)
    line = usage.told(many)
    # A label is stored, and then its pair waits no more.
    waiting = f"SELECT count(*) FROM annotator.waiting WHERE pair->>'query' {named}"
    installed.until("none waits", lambda: installed.sql(waiting) == "0", 60)
    found = {
        "proposed": installed.sql(
            f"SELECT count(*) FROM retriever.proposals JOIN retriever.queries USING (query_id) WHERE text {named}"
        ),
        "labels": installed.sql(labels),
        "pairs": installed.sql(labels.replace("*", "DISTINCT pair_id")),
        "as_told": installed.sql(f"{labels} AND decided_by = '{decides}' AND label = 1"),
    }
    counts = {name: int(text) for name, text in found.items()}
    counts |= {"begun": _begun() - begun, "counted": _counted() - counted}
    return {**line, **counts, "questions_each": round((_asked() - asked) / many, 2), "problem": wrong(counts, many)}


def wrong(counts: dict[str, int], many: int) -> str:
    """What is wrong with what was counted of so many pairs; empty where each was labelled once, as the model says."""
    other = {name: count for name, count in counts.items() if count != many}
    return f"not {many}: {other}" if other else ""


def _begun() -> int:
    return int(installed.sql("SELECT coalesce(sum(pairs), 0) FROM annotator.pool_spending"))


def _counted() -> int:
    """Labels that annotators have given; their pods are the same from first to last."""
    return sum(installed.counted(pod, PAIRS) for pod in installed.pods(ANNOTATOR))


def _asked() -> int:
    return int(json.loads(installed.last_line(MODEL, STATS))["questions"])
