"""Steps of `make cluster-test` as far as they can be tried without a node: what they ask for, and what they count."""

import asyncio
import itertools
import json
import os
import subprocess
import sys
import threading
import xml.etree.ElementTree as ElementTree
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace

import helm_python
import pytest
import yaml

from ingester.domain.analysis import analyse_file
from ingester.domain.near_duplicates import THRESHOLD, similarity
from touchstone.retriever.v1 import retriever_pb2 as pb
from touchstone.retriever.v1 import retriever_pb2_grpc as rpc
from touchstone_contracts.topics import TOPICS
from touchstone_local.errors import LocalError
from touchstone_runtime.errors import PermanentError
from touchstone_runtime.grpc_server import GrpcServer

CHART = Path(__file__).parents[2] / "helm" / "touchstone"
SEARCHING = Path(__file__).parents[1] / "cluster" / "searching.py"
# The load's own first calls, which open the connections.
FIRST = 12


class Retriever(rpc.RetrieverServiceServicer):
    def __init__(self, fails_every, finds):
        self.asked, self._fails_every, self._finds = 0, fails_every, finds

    async def Search(self, request, context):
        self.asked += 1
        if self._fails_every and self.asked > FIRST and self.asked % self._fails_every == 0:
            raise PermanentError("no")
        return pb.SearchResponse(results=[pb.SearchResult()] * self._finds, parts=["text", "crowding"])


@pytest.mark.parametrize(("fails_every", "finds", "failed"), [(0, 1, 0), (4, 1, 10), (0, 0, 40)])
async def test_every_search_is_asked_in_its_time_and_counted_once(tmp_path, fails_every, finds, failed):
    servicer = Retriever(fails_every, finds)
    came = await searched(servicer, "2", tmp_path / "over")
    assert came["searches"] == 40 and servicer.asked == 40 + FIRST
    assert came["failed"] == failed == sum(came["faults"].values())
    assert came["ranked_by"] == {"text, crowding": 40 - (failed if finds else 0)}
    assert 0 < came["p50_s"] <= came["p99_s"] <= came["longest_s"]


@pytest.mark.parametrize(
    ("failed", "ranked_by", "problem"),
    [
        (0, {"text": 30, "a model, text": 10}, ""),
        (1, {"text": 30, "a model, text": 9}, "searches failed"),
        (0, {"a model, text": 40}, "none was ranked by words alone, or none by models"),
        (0, {"text": 40}, "none was ranked by words alone, or none by models"),
    ],
)
def test_what_searches_without_an_embedder_must_show(load_script, failed, ranked_by, problem):
    run = load_script("tests/cluster/run.py")
    assert run._unranked({"searches": 40, "failed": failed, "ranked_by": ranked_by}) == problem


async def test_searches_end_before_their_time_where_they_are_told_to(tmp_path):
    servicer = Retriever(0, 1)
    searching = asyncio.create_task(searched(servicer, "600", tmp_path / "over"))
    while servicer.asked < FIRST + 20:
        await asyncio.sleep(0.05)
    (tmp_path / "over").touch()
    came = await searching
    assert 20 <= came["searches"] == servicer.asked - FIRST and not came["failed"]


async def searched(servicer, seconds, over):
    server = GrpcServer("127.0.0.1:0")
    server.add(rpc.add_RetrieverServiceServicer_to_server, servicer, "touchstone.retriever.v1.RetrieverService")
    await server.start()
    address = f"dns:///{server.address}"
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(SEARCHING), "20", seconds, "1", str(over),
            env={**os.environ, "TOUCHSTONE_RETRIEVER_ADDRESS": address}, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        said, _ = await process.communicate()
    finally:
        await server.stop(0)
    assert process.returncode == 0
    where, begun, came = map(json.loads, said.decode().splitlines())
    assert where == {"addresses": ["127.0.0.1"]} and begun == {"begun": True}
    return came


def test_what_the_steps_of_scaling_ask_for_is_what_the_chart_takes(load_script):
    scaled = load_script("tests/cluster/scaled.py")
    partitions = next(topic.partitions for topic in TOPICS if topic.name == scaled.TOPIC)
    # Partitions limit it, not the step; one wakes for what wakes it, and all are busy with what is taken in.
    assert partitions < scaled.MOST and scaled.BY_LAG["lagThreshold"] >= scaled.WAKERS
    assert partitions * scaled.BY_LAG["lagThreshold"] <= scaled.MANY <= scaled.disturbing.SPAN
    # Held for as long as the autoscaler asks several times, which it does every 15 seconds.
    assert scaled.HELD_S >= 4 * 15
    values = yaml.safe_load((CHART / "demo.yaml").read_text())
    values["services"][scaled.CONSUMER]["autoscaling"] = scaled.BY_LAG
    values["services"]["retriever"]["autoscaling"] = scaled.BY_CALLS
    values["scaling"] = {"prometheus": {"address": "http://prometheus:9090"}}
    with helm_python.Chart.load(str(CHART)) as chart:
        chart.validate_schema(chart.merge_values(values))
        files = chart.render(values, name="touchstone", namespace="touchstone")
    (made,) = [text for path, text in files.items() if path.endswith("autoscaling.yaml")]
    consumer, server = yaml.safe_load_all(made.lstrip("\n-"))
    (trigger,) = consumer["spec"]["triggers"]
    assert trigger["metadata"]["topic"] == scaled.TOPIC
    assert (consumer["spec"]["minReplicaCount"], consumer["spec"]["maxReplicaCount"]) == (0, scaled.MOST)
    assert [each["type"] for each in server["spec"]["triggers"]] == ["prometheus"]
    compile(scaled.LONG.format(number=1, words=2), "long", "exec")


def test_the_changes_of_a_count_are_told_once_each(load_script):
    scaled = load_script("tests/cluster/scaled.py")
    assert scaled.changes([(1.0, 0), (2.0, 0), (3.0, 4), (4.0, 4), (5.0, 0)]) == [(1.0, 0), (3.0, 4), (5.0, 0)]
    assert scaled.changes([]) == []


def test_what_policies_need_is_built_while_nothing_is_timed(load_script, monkeypatch, tmp_path):
    run = load_script("tests/cluster/run.py")
    monkeypatch.setenv("TOUCHSTONE_STATE", str(tmp_path))
    monkeypatch.setattr(run.node, "running", lambda layout: 1)
    had = threading.Event()

    def have(layout, tell):
        had.set()
        raise LocalError("no modules", thing="kube-router")

    monkeypatch.setattr(run.policies, "have", have)
    for name in ("balance", "broker", "policies"):
        monkeypatch.setitem(run.STEPS, name, lambda seconds: {"problem": ""})
    monkeypatch.setattr(sys, "argv", ["run.py", "--only", "balance"])
    assert run.main() == 0 and not had.is_set()
    monkeypatch.setattr(sys, "argv", ["run.py", "--only", "broker,policies"])
    assert run.main() == 0 and had.wait(60)


@pytest.mark.parametrize(
    ("runs", "brought_up", "problem", "status", "steps"),
    [(True, 0, "", 0, 1), (False, 0, "", 0, 1), (False, 0, "a pod is gone", 1, 1), (False, 3, "", 3, None)],
)
def test_a_node_is_brought_up_where_none_runs_and_the_last_line_is_about_all_steps(
    load_script, monkeypatch, capsys, tmp_path, runs, brought_up, problem, status, steps
):  # fmt: skip
    run = load_script("tests/cluster/run.py")
    monkeypatch.setenv("TOUCHSTONE_STATE", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["run.py", "--only", "balance"])
    monkeypatch.setattr(run.node, "running", lambda layout: 1 if runs else None)
    asked = []
    monkeypatch.setattr(run, "_brought_up", lambda: asked.append(1) or brought_up)
    monkeypatch.setattr(run, "chosen", str.split)
    monkeypatch.setitem(run.STEPS, "balance", lambda seconds: {"problem": problem})
    assert run.main() == status and asked == ([] if runs else [1])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    if steps is None:
        assert lines == []
    else:
        assert [line.get("step") for line in lines] == ["balance", None]
        assert (lines[1]["steps"], lines[1]["with_a_finding"]) == (steps, int(bool(problem)))


def test_steps_that_need_more_than_a_node_are_done_where_that_is_or_when_they_are_named(load_script, monkeypatch):
    run = load_script("tests/cluster/run.py")
    assert set(run.STEPS) > run.OPTIONAL
    for there in itertools.product((False, True), repeat=2):
        wanted = set()
        for module, steps, answer in zip((run.scaled, run.walled), (run.SCALING, run.WALLED), there, strict=True):
            monkeypatch.setattr(module, "there", lambda answer=answer: answer)
            wanted |= steps if answer else set()
        assert set(run.chosen("scaling,gvisor")) == {"scaling", "gvisor"}
        assert set(run.chosen("")) & run.OPTIONAL == wanted
        assert set(run.chosen("")) | run.OPTIONAL | run.BY_NAME == set(run.STEPS)
        assert not run.BY_NAME & set(run.chosen(""))


def test_an_attack_that_no_pod_held_is_named_and_one_that_did_not_run_is_not_counted(load_script):
    attacked = load_script("tests/cluster/attacked.py")
    assert all((attacked.installed.HERE.parents[1] / file).is_file() for file in attacked.FILES)
    report = ElementTree.fromstring("""<testsuites><testsuite>
        <testcase classname="attacks.test_oracle" name="held" time="2.5"/>
        <testcase classname="attacks.test_oracle" name="passed" time="1"><failure message="it passed"/></testcase>
        <testcase classname="attacks.test_oracle" name="no pod" time="1"><error message="no runner pod"/></testcase>
        <testcase classname="attacks.test_isolation" name="elsewhere" time="0"><skipped/></testcase>
    </testsuite></testsuites>""")
    line = attacked.told(report, {})
    assert line["passed"] == {"test_oracle": 1} and line["skipped"] == ["elsewhere"] and line["short"] == []
    assert line["failed"] == {"passed": "it passed", "no pod": "no runner pod"}
    assert line["longest"][-1] == (2.5, "held")
    # What a kernel is known to be short of is that alone.
    known = attacked.told(report, {"passed": "it passed", "no pod": "no such file", "held": "it reached a file"})
    assert known["short"] == ["passed"] and set(known["failed"]) == {"no pod", "held"}


def test_the_walls_of_runners_are_those_that_the_chart_has_and_are_waited_for(load_script, monkeypatch):
    walled = load_script("tests/cluster/walled.py")
    compile(walled.ASK, "ask", "exec")
    values = yaml.safe_load((CHART / "demo.yaml").read_text()) | {"executor": {"backend": "pods"}}
    conditions = [{"type": "Ready", "status": "True"}]

    def rendered(how):
        with helm_python.Chart.load(str(CHART)) as chart:
            chart.validate_schema(chart.merge_values({**values, "runner": how}))
            files = chart.render({**values, "runner": how}, name="touchstone", namespace="touchstone")
        (text,) = [text for path, text in files.items() if path.endswith("runners.yaml")]
        (pool,) = [each for each in yaml.safe_load_all(text) if each and each["kind"] == "Deployment"]
        assert pool["metadata"]["namespace"] == walled.RUNNERS
        template = pool["spec"]["template"]
        assert walled.FREE.split("=")[1] == template["metadata"]["labels"][walled.FREE.split("=")[0]]
        return {"spec": template["spec"], "metadata": template["metadata"], "status": {"conditions": conditions}}

    plain = rendered({})
    for how in ({"runtimeClassName": walled.runtimes.RUNTIME_CLASS}, {"hostUsers": False}):
        pod = rendered(how)
        for pods, with_wall, without in (([pod], True, False), ([plain], False, True), ([plain, pod], False, False)):
            monkeypatch.setattr(walled.installed, "call", lambda *_, pods=pods: json.dumps({"items": pods}))
            assert bool(walled._ready(how)) == with_wall and bool(walled._ready({}, without=how)) == without
    # gVisor counts by the cgroups that the pods ask it for.
    asked = rendered({"runtimeClassName": "gvisor"})["metadata"]["annotations"]
    assert asked == {"dev.gvisor.flag.in-sandbox-cgroup": "v2"} and "annotations" not in plain["metadata"]


def test_what_the_hpa_is_told_names_pods_and_thousandths(load_module):
    api = load_module("tests/cluster/custom_metrics.py")
    series = [
        {"metric": {"pod": address}, "value": [0, value]}
        for address, value in (("10.0.0.1", "0.25"), ("10.0.0.9", "3"))
    ]
    told = api.values("touchstone", {"10.0.0.1": "retriever-a"}, series, "2026-01-01T00:00:00Z")
    # Pods of other services have calls in flight, too.
    (item,) = told["items"]
    assert item["describedObject"]["name"] == "retriever-a" and item["value"] == "250m"
    # It serves the metric that the chart's HPA asks for, where the autoscaler looks for it.
    values = {"services": {"retriever": {"autoscaling": {"enabled": True}}}}
    with helm_python.Chart.load(str(CHART)) as chart:
        files = chart.render(values, name="touchstone", namespace="touchstone")
    (made,) = [text for path, text in files.items() if path.endswith("autoscaling.yaml")]
    metric = yaml.safe_load(made.lstrip("\n-"))["spec"]["metrics"][0]["pods"]["metric"]["name"]
    path = f"/apis/custom.metrics.k8s.io/v1beta2/namespaces/touchstone/pods/*/{metric}"
    assert api._QUESTION.fullmatch(path) and api.RESOURCES["resources"][0]["name"] == f"pods/{metric}"
    service, _, registered = api.objects("10.0.0.1", 1234)
    assert registered["spec"]["service"]["port"] == service["spec"]["ports"][0]["port"]


def test_the_work_that_is_measured_can_be_read_and_each_piece_is_one_of_its_own(load_script):
    loaded = load_script("tests/cluster/loaded.py")
    made: dict = {}
    for number in range(loaded.TASKS):
        exec(compile(loaded.TASK.format(number=1000 + number, words=number + 2), "task", "exec"), made)
    platforms = [each for name, each in made.items() if name.startswith("platform_")]
    assert len(platforms) == loaded.TASKS
    # Each way through one is taken, and no two of them are the same function.
    seen = {tuple(each(minutes, doors) for minutes in range(20) for doors in range(8)) for each in platforms}
    assert len(seen) == loaded.TASKS
    compile(loaded.JUDGE, "judge", "exec")


def test_no_piece_of_a_later_round_is_taken_for_one_of_an_earlier(load_script):
    loaded = load_script("tests/cluster/loaded.py")
    # Rounds begin when those before them have ended, and many of a day are no exception.
    salts = [1_795_797_667 + seconds for seconds in (0, 61, 122, 700, 777, 20_001)]
    texts = [
        loaded.TASK.format(number=salt * loaded.disturbing.SPAN + number, words=number + 2)
        for salt in salts
        for number in range(loaded.TASKS)
    ]
    found = [analyse_file(text.encode(), "a.py", language="python", sketch=True).functions[0] for text in texts]
    assert not {each.rejected_by for each in found} - {""}
    assert len({each.tree_key for each in found}) == len(found)
    alike = max(similarity(one.signature, other.signature) for one, other in itertools.combinations(found, 2))
    # What is compared are estimates: others, of other rounds, are a little greater.
    assert alike < THRESHOLD - 0.2


def test_what_cannot_be_measured_takes_nothing_from_the_rest(load_script, monkeypatch):
    loaded = load_script("tests/cluster/loaded.py")
    counts: dict = {}
    monkeypatch.setattr(loaded.installed, "scale", lambda service, count: counts.setdefault(service, []).append(count))

    def fails(count):
        if count == 2:
            raise RuntimeError("not within 900 s: all is done")
        return {"seconds": 1.0}

    for name in ("_functions", "_tasks", "_answers", "_searches"):
        monkeypatch.setattr(loaded, name, fails if name == "_tasks" else lambda _count: {"seconds": 2.0})
    line = loaded.loaded(0)
    # A new executor costs a pod for each attack of its self-test: it is made once for all that is measured with it.
    assert counts[loaded.EXECUTOR] == [*loaded.COUNTS, 1]
    kinds = ("functions", "tasks", "answers", "searches")
    assert all(set(line[kind]) == set(loaded.COUNTS) for kind in kinds)
    assert line["tasks"][4]["seconds"] == 1.0 and {"ready_s", "load"} <= set(line["tasks"][2])
    assert line["problem"] == "tasks with 2: not within 900 s: all is done"
    assert all(each[-1] == 1 for each in counts.values())


def test_pairs_are_measured_where_the_model_is_and_without_it_each_kind_is_a_finding(load_script, monkeypatch):
    loaded = load_script("tests/cluster/loaded.py")
    counts: list = []
    monkeypatch.setattr(loaded.installed, "scale", lambda service, count: counts.append((service, count)))
    monkeypatch.setattr(loaded.labelled, "labelled", lambda kind: {"kind": kind})
    monkeypatch.setattr(loaded.labelled, "with_model", nullcontext)
    line = loaded.pairs(0)
    assert not line.pop("problem") and {kind: set(each) for kind, each in line.items()} == {
        kind: set(loaded.COUNTS) for kind in loaded.labelled.KINDS
    }
    assert all(each["kind"] == kind for kind, lines in line.items() for each in lines.values())
    assert counts == [(loaded.labelled.ANNOTATOR, count) for count in (*loaded.COUNTS, 1)]

    @contextmanager
    def there_is_none():
        raise LocalError("no pod", thing="helm upgrade")
        yield

    monkeypatch.setattr(loaded.labelled, "with_model", there_is_none)
    line = loaded.pairs(0)
    assert set(line) == {*loaded.labelled.KINDS, "problem"} and line["problem"].count("no pod") == len(line) - 1


def test_a_pod_whose_use_cannot_be_read_is_said_and_not_taken_for_nothing(load_script, monkeypatch, tmp_path):
    loaded = load_script("tests/cluster/loaded.py")

    def call(*command):
        moved = [each.replace("/sys/fs/cgroup", str(tmp_path)) for each in command]
        done = subprocess.run(moved, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return done.stdout

    monkeypatch.setattr(loaded.installed, "call", call)
    monkeypatch.setattr(loaded.installed, "pods", lambda _service: [{"metadata": {"uid": "one"}}])
    whole = tmp_path / "cpuacct" / "kubepods"
    pods = [tmp_path / kind / "kubepods" / "burstable" / "podone" for kind in ("cpuacct", "memory")]
    for folder in pods:
        folder.mkdir(parents=True)
    daemons = tmp_path / "cpuacct" / "daemons"
    daemons.mkdir()
    for folder in (whole, daemons, pods[0]):
        (folder / "cpuacct.usage").write_text("2000000000\n")
    (pods[1] / "memory.stat").write_text("rss 1\ntotal_rss_huge 7\ntotal_rss 5000000\ntotal_swap 3\n")
    usage = loaded.Usage(["embedder"])
    (pods[0] / "cpuacct.usage").write_text("3000000000\n")
    usage.look()
    told = usage.told(4, 2.0)
    assert told["processor_s_each"] == {"embedder": 0.25, "all pods": 0.0, "node": 0.0}
    assert (told["a_second"], told["resident_mb"]) == (2.0, {"embedder": 5})
    (pods[1] / "memory.stat").unlink()
    with pytest.raises(RuntimeError, match=r"memory\.stat"):
        usage.look()


@pytest.mark.parametrize("count", [1, 12, 20])
def test_so_many_functions_are_written_as_are_waited_for(load_script, monkeypatch, tmp_path, count):
    disturbing = load_script("tests/cluster/disturbing.py")
    monkeypatch.setattr(disturbing.installed, "layout", lambda: SimpleNamespace(state=tmp_path))
    (tmp_path / disturbing.SOURCES).mkdir()
    with disturbing.written("few", 7, count) as folder:
        names = [line for file in folder.iterdir() for line in file.read_text().splitlines() if line.startswith("def ")]
        assert len(set(names)) == len(names) == count


def test_each_container_of_compose_is_told_what_compose_tells_it_and_starts_behind_what_it_needs(load_script, tmp_path):
    composed = load_script("tests/cluster/composed.py")
    services = composed.resolved()
    order = composed.ordered(services)
    assert sorted(order) == sorted(services)
    for name, service in services.items():
        assert all(order.index(each) < order.index(name) for each in service.get("depends_on") or ())
        if name in composed.LEFT_OUT:
            continue
        made = {each["kind"]: each for each in composed.objects(name, service, tmp_path)}
        (container,) = made["Pod"]["spec"]["containers"]
        given = {each["name"]: each["value"] for each in container["env"]}
        assert given == {key: value or "" for key, value in (service.get("environment") or {}).items()}
        mounted = {each["mountPath"] for each in container["volumeMounts"]}
        wanted = {each["target"] for kind in ("volumes", "configs") for each in service.get(kind) or ()}
        assert mounted == wanted
        assert bool(container["securityContext"].get("privileged")) == bool(service.get("privileged"))
        if "build" in service:
            assert container["readinessProbe"]["exec"]["command"] == service["healthcheck"]["test"][1:]
            assert "command" not in container and "args" not in container
        assert made["Service"]["spec"]["selector"] == made["Pod"]["metadata"]["labels"]
    assert {name for name, each in services.items() if "build" not in each} == (
        {"blobs", "bucket"} | set(composed._STARTS) | composed.LEFT_OUT
    )


@pytest.mark.parametrize("cache", ["", "shared"])
def test_the_nodes_pods_and_composes_containers_read_models_where_they_are_put(
    load_script, monkeypatch, tmp_path, cache
):
    monkeypatch.setenv("TOUCHSTONE_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("TOUCHSTONE_CACHE", cache and str(tmp_path / cache))
    composed = load_script("tests/cluster/composed.py")
    here = composed.installed.folders()
    put = {str(here.models), str(here.converted_models)}
    made = composed.installing.volumes(composed.installed.layout())
    assert put <= {one["spec"]["hostPath"]["path"] for one in made if one["kind"] == "PersistentVolume"}
    assert put == set(composed._models().values())


def test_what_a_pod_of_another_time_is_given_leaves_its_waits_alone(load_script):
    clocks = load_script("tests/cluster/clocks.py")
    (container,) = clocks._patch("embedder")["spec"]["template"]["spec"]["containers"]
    given = {each["name"]: each["value"] for each in container["env"]}
    assert given["FAKETIME_DONT_FAKE_MONOTONIC"] == "1"
    assert given["LD_PRELOAD"].startswith(container["volumeMounts"][0]["mountPath"])
    # Ahead by more than a broker allows, and as far behind.
    assert {float(skew.rstrip("h")) for skew in clocks.SKEWS.values()} == {2.0, -2.0}
