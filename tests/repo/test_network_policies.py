"""The network policies let through what the platform's pods are told to call, and nothing else.

A cluster that enforces policies joins them so: a pod that none selects is open, one that some select is open to what
one of them allows, and a connection needs both the leave to go out and the leave to come in.
"""

import re
from pathlib import Path

import helm_python
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PLATFORM, ELSEWHERE = "touchstone", "elsewhere"
STRANGER = (ELSEWHERE, {"app": "stranger"}, {})
EXECUTOR = "touchstone-sandbox-executor"
_ADDRESS = re.compile(r"([a-z0-9-]+):(\d+)(?:/touchstone)?$")


def of_kind(documents, kind):
    return {document["metadata"]["name"]: document for document in documents if document["kind"] == kind}


def fits(selector, labels):
    wanted = selector.get("matchLabels", {}).items() <= labels.items()
    for rule in selector.get("matchExpressions", ()):
        assert rule["operator"] == "In"
        assert rule["values"]
        wanted = wanted and labels.get(rule["key"]) in rule["values"]
    return wanted


def names(peer, home, namespace, labels, of_namespace):
    """Whether a peer of a rule stands for a pod."""
    assert not set(peer) - {"podSelector", "namespaceSelector"}
    if "namespaceSelector" in peer:
        here = fits(peer["namespaceSelector"], {"kubernetes.io/metadata.name": namespace} | of_namespace)
    else:
        here = namespace == home
    return here and fits(peer.get("podSelector", {}), labels)


def lets(policies, direction, pod, other, target, port):
    """Whether the policies of one direction let a pod speak with another one on a port of the target."""
    key, peers = {"Ingress": ("ingress", "from"), "Egress": ("egress", "to")}[direction]
    namespace, labels = pod[:2]
    of_namespace = other[3] if len(other) > 3 else {}
    selecting = [
        policy
        for policy in policies
        if policy["metadata"].get("namespace") == namespace
        and direction in policy["spec"]["policyTypes"]
        and fits(policy["spec"]["podSelector"], labels)
    ]
    for policy in selecting:
        for rule in policy["spec"].get(key, ()):
            numbers = [target[2].get(each["port"], each["port"]) for each in rule.get("ports", ())]
            told = rule.get(peers)
            if (not numbers or port in numbers) and (
                told is None or any(names(peer, namespace, *other[:2], of_namespace) for peer in told)
            ):
                return True
    return not selecting


def passes(policies, source, target, port):
    return lets(policies, "Egress", source, target, target, port) and lets(
        policies, "Ingress", target, source, target, port
    )


def template_of(document):
    """What pods a document makes, or nothing."""
    if document["kind"] == "Pod":
        return document
    spec = document.get("spec", {})
    return spec.get("jobTemplate", {}).get("spec", spec).get("template")


@pytest.fixture(scope="module")
def cluster():
    """The policies, and every pod of a demonstration: namespace, labels, ports by their names."""
    values = yaml.safe_load((ROOT / "helm/touchstone/demo.yaml").read_text()) | {"executor": {"backend": "pods"}}
    with helm_python.Chart.load(str(ROOT / "helm/touchstone")) as chart:
        files = chart.render(values, name="touchstone", namespace=PLATFORM)
    manifests = [text for path, text in files.items() if path.endswith(".yaml")]
    documents = [document for text in manifests for document in yaml.safe_load_all(text) if document]
    policies = [
        each for each in yaml.safe_load_all((ROOT / "k8s/network-policies.yaml").read_text()) if each is not None
    ] + list(of_kind(documents, "NetworkPolicy").values())
    pods = {}
    for each in documents:
        template = template_of(each)
        if template:
            ports = {
                port["name"]: port["containerPort"]
                for container in template["spec"]["containers"]
                for port in container.get("ports", ())
            }
            namespace = each["metadata"].get("namespace", PLATFORM)
            pods[each["metadata"]["name"]] = (namespace, template["metadata"]["labels"], ports)
    return documents, policies, pods


@pytest.fixture(scope="module")
def told(cluster):
    """Host and port of everything that the settings and the database's secret name."""
    documents, _, pods = cluster
    settings = of_kind(documents, "ConfigMap")["touchstone-settings"]["data"]
    secret = of_kind(documents, "Secret")["touchstone-demo-database"]["stringData"]
    ends = (_ADDRESS.search(value) for value in [*settings.values(), secret["evaluator"]])
    found = {(end[1], int(end[2])) for end in ends if end}
    assert {host for host, _ in found} <= set(pods) and len(found) >= 12
    return found


def test_every_service_reaches_what_it_is_told_of(cluster, told):
    documents, policies, pods = cluster
    services = [name for name in of_kind(documents, "Deployment") if name.startswith("touchstone-")]
    for name in set(services) - {EXECUTOR, "touchstone-sandbox-runner"}:
        for host, port in told:
            assert passes(policies, pods[name], pods[host], port), (
                f"{name} is told of {host}:{port} and cut off from it"
            )


def test_prometheus_reads_every_service_and_the_executor_what_it_stands_on(cluster, told):
    _, policies, pods = cluster
    prometheus = pods["touchstone-demo-prometheus"]
    for name, pod in pods.items():
        if "http-metrics" in pod[2] and pod[0] == PLATFORM:
            assert passes(policies, prometheus, pod, 8080), name
            assert passes(policies, STRANGER, pod, 8080), name
    stands_on = {"touchstone-demo-kafka": 9092, "touchstone-demo-postgres": 5432, "touchstone-demo-s3": 7070}
    for host, port in stands_on.items():
        assert (host, port) in told and passes(policies, pods[EXECUTOR], pods[host], port), host
    # Whoever runs foreign code for others does not call them.
    for host, port in told - set(stands_on.items()):
        assert not passes(policies, pods[EXECUTOR], pods[host], port), host


def test_jobs_and_the_charts_tests_reach_what_they_are_for(cluster):
    """An upgrade waits for jobs that cannot reach the database until it is given up."""
    documents, policies, pods = cluster
    jobs = of_kind(documents, "Job")
    ends = dict.fromkeys(jobs, ("touchstone-demo-postgres", 5432))
    assert {each["metadata"]["annotations"]["helm.sh/hook"] for each in jobs.values()} == {"pre-upgrade"}
    ends |= {"touchstone-topics": ("touchstone-demo-kafka", 9092), "touchstone-test": ("touchstone-evaluator", 7100)}
    assert len(jobs) == 7 and ends.keys() <= pods.keys()
    for name, (host, port) in ends.items():
        assert passes(policies, pods[name], pods[host], port), f"{name} is cut off from {host}:{port}"


def test_the_executor_sends_its_spans_to_the_port_that_the_handbook_names(cluster):
    _, policies, pods = cluster
    (port,) = re.findall(r"`http://collector:(\d+)`", (ROOT / "k8s/README.md").read_text())
    collector = (ELSEWHERE, {"app": "collector"}, {})
    for name in (EXECUTOR, "touchstone-ingester"):
        assert passes(policies, pods[name], collector, int(port)), name


def test_strangers_reach_no_port_but_the_metrics_and_runners_are_alone(cluster, told):
    _, policies, pods = cluster
    for host, port in told:
        assert not passes(policies, STRANGER, pods[host], port), host
    (runners,) = [name for name, pod in pods.items() if pod[0] != PLATFORM]
    for name, pod in pods.items():
        for port in pod[2].values():
            assert not passes(policies, pods[runners], pod, port), name
        assert passes(policies, pod, pods[runners], 7200) == (name == EXECUTOR), name
    assert not passes(policies, STRANGER, pods[runners], 7200)


def test_ways_in_from_outside_lead_to_what_the_chart_routes_and_to_nothing_else(cluster):
    """The edge's namespace is open to whoever calls it: the executor of foreign code is not behind it."""
    _, policies, pods = cluster
    values = yaml.safe_load((ROOT / "helm/touchstone/values.yaml").read_text())
    edge = ("edge", {"app": "gateway"}, {}, {"touchstone/routes": "true"})
    reached = {name for name, pod in pods.items() if pod[0] == PLATFORM and passes(policies, edge, pod, 7100)}
    assert reached == {f"touchstone-{name}" for name in values["routes"]["services"]}
    assert passes(policies, edge, pods["touchstone-web"], 8080)


def test_every_policy_selects_pods_and_ports_that_there_are(cluster):
    _, policies, pods = cluster
    for policy in policies:
        home = policy["metadata"].get("namespace", PLATFORM)
        chosen = [pod for pod in pods.values() if pod[0] == home and fits(policy["spec"]["podSelector"], pod[1])]
        assert chosen, policy["metadata"]["name"]
        for port in [port["port"] for rule in policy["spec"].get("ingress", ()) for port in rule.get("ports", ())]:
            assert any(port in {*pod[2], *pod[2].values()} for pod in chosen), policy["metadata"]["name"]


def test_keda_asks_the_broker_and_prometheus_and_nobody_else(cluster):
    _, policies, pods = cluster
    keda = ("keda", {"app": "keda-operator"}, {})
    asked = {"touchstone-demo-kafka": 9092, "touchstone-demo-prometheus": 9090}
    assert all(passes(policies, keda, pods[name], port) for name, port in asked.items())
    assert not any(passes(policies, STRANGER, pods[name], port) for name, port in asked.items())
    assert not passes(policies, keda, pods["touchstone-demo-postgres"], 5432)
    assert not passes(policies, keda, pods["touchstone-retriever"], 7100)
