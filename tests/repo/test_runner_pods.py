"""The chart with pods of their own for foreign code: the executor is restricted, and runners hold nothing."""

import re
import subprocess
import sys
from pathlib import Path

import helm_python
import pytest
import yaml

from sandbox_executor.adapters.pods.channel import PORT
from sandbox_executor.domain.pods import FREE, LABEL, exposed, read_free
from sandbox_executor.settings import SandboxSettings

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "helm" / "touchstone"
PODS = {"executor": {"backend": "pods"}}
FULL = {
    **PODS,
    "doors": {"tokens": "tokens", "tls": "tls"},
    "llm": {"secret": "llm"},
    "blobs": {"url": "s3://b", "claim": "", "secret": "s3"},
    "demo": {"enabled": True},
    "image": {"pullSecrets": ["registry"]},
}


def render(values, name="touchstone"):
    with helm_python.Chart.load(str(CHART)) as chart:
        files = chart.render(values, name=name, namespace="platform")
    texts = [text for path, text in files.items() if path.endswith(".yaml")]
    return [document for text in texts for document in yaml.safe_load_all(text) if document]


def pod_specs(documents):
    """Each pod that the chart makes, by kind and name."""
    for document in documents:
        spec = (
            document["spec"] if document["kind"] == "Pod" else document.get("spec", {}).get("template", {}).get("spec")
        )
        if spec and "containers" in spec:
            yield f"{document['kind']} {document['metadata']['name']}", spec


def unrestricted(spec):
    """What keeps a pod from the restricted level of Kubernetes' pod security standards, in words."""
    found = [name for name in ("hostNetwork", "hostPID", "hostIPC") if spec.get(name)]
    pod = spec.get("securityContext", {})
    for volume in spec.get("volumes", []):
        kinds = {
            "configMap",
            "csi",
            "downwardAPI",
            "emptyDir",
            "ephemeral",
            "persistentVolumeClaim",
            "projected",
            "secret",
        }
        found += [f"volume {volume['name']}"] * (not kinds & volume.keys())
    for container in [*spec["containers"], *spec.get("initContainers", [])]:
        own = container.get("securityContext", {})
        capabilities = own.get("capabilities", {})
        checks = {
            "privileged": own.get("privileged", False),
            "escalation": own.get("allowPrivilegeEscalation", True),
            "root": not own.get("runAsNonRoot", pod.get("runAsNonRoot", False)),
            "user 0": own.get("runAsUser", pod.get("runAsUser")) == 0,
            "capabilities": "ALL" not in capabilities.get("drop", []),
            "more capabilities": set(capabilities.get("add", [])) - {"NET_BIND_SERVICE"},
            "seccomp": own.get("seccompProfile", pod.get("seccompProfile", {})).get("type")
            not in ("RuntimeDefault", "Localhost"),
            "host ports": any(port.get("hostPort") for port in container.get("ports", [])),
        }
        found += [f"{container['name']}: {name}" for name, wrong in checks.items() if wrong]
    return found


@pytest.fixture(scope="module", params=[PODS, FULL], ids=["plain", "full"])
def documents(request):
    return render(request.param)


def chosen(documents, kind, name):
    (found,) = [each for each in documents if each["kind"] == kind and each["metadata"]["name"] == name]
    return found


def test_every_pod_but_the_runners_is_restricted(documents):
    specs = dict(pod_specs(documents))
    assert "Deployment touchstone-sandbox-executor" in specs
    runner = specs.pop("Deployment touchstone-sandbox-runner")
    assert {name: unrestricted(spec) for name, spec in specs.items() if unrestricted(spec)} == {}
    # The check itself sees what a runner has.
    assert "runner: privileged" in unrestricted(runner)


def test_a_runner_holds_nothing_that_is_worth_taking(documents):
    deployment = chosen(documents, "Deployment", "touchstone-sandbox-runner")
    assert deployment["metadata"]["namespace"] == "touchstone-runners"
    spec = deployment["spec"]["template"]["spec"]
    assert exposed({"spec": spec}) == []
    assert re.search(r"secret|token|database|kafka|http|s3", yaml.safe_dump(spec["containers"]).lower()) is None
    account = chosen(documents, "ServiceAccount", "touchstone-sandbox-runner")
    assert account["automountServiceAccountToken"] is False and "annotations" not in account["metadata"]
    bound = [each for each in documents if each["kind"] == "RoleBinding"]
    assert all(subject["name"] != "touchstone-sandbox-runner" for each in bound for subject in each["subjects"])


def test_a_claim_takes_a_pod_out_of_the_pools_selector(documents):
    deployment = chosen(documents, "Deployment", "touchstone-sandbox-runner")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert labels[LABEL] == FREE == deployment["spec"]["selector"]["matchLabels"][LABEL]
    assert deployment["spec"]["selector"]["matchLabels"].items() <= labels.items()
    pod = {
        "metadata": {"name": "a", "uid": "b", "resourceVersion": "1", "labels": labels},
        "spec": deployment["spec"]["template"]["spec"],
        "status": {"podIP": "10.0.0.1", "conditions": [{"type": "Ready", "status": "True"}]},
    }
    found = read_free(pod)
    assert found is not None and found.exposed == ()
    container = pod["spec"]["containers"][0]
    assert container["ports"] == [{"name": "runner", "containerPort": PORT}]
    assert container["command"] == ["python", "-m", "sandbox_executor", "runner"]


def test_the_executor_may_touch_pods_of_the_runners_namespace_and_nothing_else(documents):
    (role,) = [each for each in documents if each["kind"] == "Role"]
    assert role["metadata"]["namespace"] == "touchstone-runners"
    assert role["rules"] == [
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch", "patch", "delete"]}
    ]
    (binding,) = [each for each in documents if each["kind"] == "RoleBinding"]
    assert binding["metadata"]["namespace"] == "touchstone-runners"
    assert binding["subjects"] == [
        {"kind": "ServiceAccount", "name": "touchstone-sandbox-executor", "namespace": "platform"}
    ]
    assert not [each for each in documents if each["kind"].startswith("ClusterRole")]
    tokens = {name: spec.get("automountServiceAccountToken") for name, spec in pod_specs(documents)}
    assert [name for name, mounted in tokens.items() if mounted is not False] == [
        "Deployment touchstone-sandbox-executor"
    ]
    executor = dict(pod_specs(documents))["Deployment touchstone-sandbox-executor"]
    assert executor["serviceAccountName"] == "touchstone-sandbox-executor"


def test_to_runners_speak_executors_alone_and_runners_speak_to_nobody(documents):
    (policy,) = [each for each in documents if each["kind"] == "NetworkPolicy"]
    assert policy["metadata"]["namespace"] == "touchstone-runners"
    spec = policy["spec"]
    assert (spec["podSelector"], sorted(spec["policyTypes"]), spec["egress"]) == ({}, ["Egress", "Ingress"], [])
    (rule,) = spec["ingress"]
    (source,) = rule["from"]
    assert source["namespaceSelector"]["matchLabels"] == {"kubernetes.io/metadata.name": "platform"}
    executor = chosen(documents, "Deployment", "touchstone-sandbox-executor")
    labels = executor["spec"]["template"]["metadata"]["labels"]
    assert source["podSelector"]["matchLabels"].items() <= labels.items()
    others = [each for each in documents if each["kind"] == "Deployment" and each is not executor]
    for other in others:
        theirs = other["spec"]["template"]["metadata"]["labels"]
        assert not source["podSelector"]["matchLabels"].items() <= theirs.items()
    assert rule["ports"] == [{"protocol": "TCP", "port": PORT}]
    # Where the executor's own way out is narrowed, runners and the API stay within it.
    narrow = [
        each
        for each in yaml.safe_load_all((ROOT / "k8s/network-policies.yaml").read_text())
        if each["metadata"]["name"] == "touchstone-sandbox-executor"
    ]
    ports = {port["port"] for each in narrow for rule in each["spec"]["egress"] for port in rule["ports"]}
    assert {PORT, 443, 6443} <= ports


def test_the_executors_settings_name_the_runners(documents, monkeypatch):
    executor = dict(pod_specs(documents))["Deployment touchstone-sandbox-executor"]
    (container,) = executor["containers"]
    for variable in container["env"]:
        if variable["name"].startswith("TOUCHSTONE_SANDBOX_") and variable.get("value"):
            monkeypatch.setenv(variable["name"], variable["value"])
    settings = SandboxSettings()
    assert (settings.sandbox_backend, settings.sandbox_backends) == ("pods", "pods")
    deployment = chosen(documents, "Deployment", "touchstone-sandbox-runner")
    assert settings.sandbox_runners_namespace == deployment["metadata"]["namespace"]
    wanted = dict(part.split("=") for part in settings.sandbox_runners_selector.split(","))
    assert wanted.items() <= deployment["spec"]["template"]["metadata"]["labels"].items()


def test_where_the_cluster_has_them_runners_use_user_namespaces_and_gvisor():
    values = {**PODS, "runner": {"hostUsers": False, "runtimeClassName": "gvisor", "namespace": "cages"}}
    spec = dict(pod_specs(render(values)))["Deployment touchstone-sandbox-runner"]
    assert (spec["hostUsers"], spec["runtimeClassName"]) == (False, "gvisor")
    plain = dict(pod_specs(render(PODS)))["Deployment touchstone-sandbox-runner"]
    assert "hostUsers" not in plain and "runtimeClassName" not in plain


def test_without_runner_pods_there_is_nothing_of_them():
    documents = render({})
    assert not {"Role", "RoleBinding", "NetworkPolicy", "Namespace"} & {each["kind"] for each in documents}
    assert "runner" not in yaml.safe_dump([each["metadata"] for each in documents])


@pytest.mark.parametrize(
    "values",
    [
        {"executor": {"backend": "gvisor"}},
        {"runner": {"replicas": 0}},
        {"runner": {"namespace": "No"}},
        {"runner": {"x": 1}},
    ],
)
def test_a_value_that_there_is_not_is_refused(values):
    with pytest.raises(helm_python.HelmError):
        render({**PODS, **values})


def test_the_manifests_validate_strictly(documents, tmp_path):
    target = tmp_path / "all.yaml"
    target.write_text(yaml.safe_dump_all(documents))
    command = [str(Path(sys.executable).parent / "kubernetes-validate"), "--strict", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_the_languages_need_lies_in_the_executors_image():
    # A runner pod has neither a network nor a volume to have it from.
    stages = (ROOT / "Dockerfile").read_text().split("\nFROM ")
    assert "sandbox_executor provision-languages" in stages[-2]
    assert "COPY --from=build /opt/toolchains /opt/toolchains" in stages[-1]
    assert "TOUCHSTONE_TOOLCHAINS_DIR=/opt/toolchains" in stages[-1]


def test_no_probe_ends_what_is_only_slow(documents):
    for deployment in [each for each in documents if each["kind"] == "Deployment"]:
        (container,) = deployment["spec"]["template"]["spec"]["containers"]
        probes = {name: container[name] for name in ("startupProbe", "livenessProbe") if name in container}
        patience = {name: probe["periodSeconds"] * probe["failureThreshold"] for name, probe in probes.items()}
        # A migration, a self-test, a node that does much else.
        assert patience["startupProbe"] >= 600 and patience.get("livenessProbe", 120) >= 120
        # A probe that is not told so waits for one second.
        assert all(probe["timeoutSeconds"] >= 5 for probe in probes.values())


def test_a_variable_is_given_once_and_what_the_operator_says_counts():
    # Helm applies on the server's side, and the API server refuses a name that comes twice.
    more = [{"name": name, "value": "mine"} for name in ("TOUCHSTONE_DATABASE_URL", "TOUCHSTONE_SANDBOX_BACKENDS")]
    services = {"sandbox-executor": {"settings": {"TOUCHSTONE_SANDBOX_BACKENDS": "local"}, "extraEnv": more}}
    executor = dict(pod_specs(render({**PODS, "services": services})))["Deployment touchstone-sandbox-executor"]
    names = [each["name"] for each in executor["containers"][0]["env"]]
    assert len(names) == len(set(names))
    given = [each for each in executor["containers"][0]["env"] if each["name"] in {one["name"] for one in more}]
    assert given == more
    # What refers to another comes after it.
    assert names.index("POD_IP") < names.index("TOUCHSTONE_SANDBOX_REPLICA_ADDRESS")
