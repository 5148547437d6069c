"""The compose file, the chart and the folders agree, and both are valid."""

import re
import subprocess
import sys
from pathlib import Path

import helm_python
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
SERVICES = sorted(path.name for path in (ROOT / "services").iterdir() if (path / "pyproject.toml").exists())
CHART = ROOT / "helm" / "touchstone"


def render(values=None):
    with helm_python.Chart.load(str(CHART)) as chart:
        files = chart.render(values or {}, name="touchstone", namespace="touchstone")
    return [document for text in files.values() for document in yaml.safe_load_all(text) if document]


def test_seven_services():
    assert SERVICES == [
        "annotator", "embedder", "evaluator", "ingester", "pbt-generator", "retriever", "sandbox-executor",
    ]  # fmt: skip


def test_the_same_services_everywhere():
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    built = sorted(name for name, service in compose["services"].items() if "build" in service)
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    cards = [yaml.safe_load(path.read_text()) for path in (ROOT / "shared/contracts/topics").glob("*.yaml")]
    assert built == SERVICES
    assert sorted(values["services"]) == SERVICES
    assert {name for card in cards for name in [card["owner"], *card["producers"], *card["consumers"]]} <= set(SERVICES)


@pytest.mark.parametrize("service", SERVICES)
def test_each_service_has_its_parts(service):
    folder = ROOT / "services" / service
    package = folder / "src" / service.replace("-", "_")
    for name in ("pyproject.toml", "Dockerfile", "README.md", "requirements.lock"):
        assert (folder / name).is_file(), f"{service} lacks {name}"
    for name in ("app.py", "settings.py", "errors.py", "ports.py", "handlers.py", "rpc.py", "metrics.py"):
        assert (package / name).is_file(), f"{service} lacks {name}"
    dockerfile = (folder / "Dockerfile").read_text()
    assert "ARG BASE" in dockerfile and re.search(r"^USER \d+", dockerfile, re.MULTILINE)


def test_the_compose_file_is_valid():
    command = [str(Path(sys.executable).parent / "docker-compose"), "-f", str(ROOT / "docker-compose.yml"), "config"]
    done = subprocess.run([*command, "-q"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_dockerfiles_pass_hadolint():
    files = [str(ROOT / "services" / service / "Dockerfile") for service in SERVICES]
    command = [str(Path(sys.executable).parent / "hadolint"), *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_chart_lints():
    findings = helm_python.lint(str(CHART))
    # 0 unknown, 1 information, 2 warning, 3 error.
    serious = [finding for finding in findings["messages"] if finding["severity"] >= 2]
    assert not serious


def test_the_chart_refuses_unknown_and_wrong_values():
    with helm_python.Chart.load(str(CHART)) as chart:
        chart.validate_schema({})
        for wrong in (
            {"servces": {}},
            {"kafka": {"bootstrap": "no port"}},
            {"services": {"ingester": {"replicas": -1}}},
        ):
            with pytest.raises(helm_python.HelmError):
                chart.validate_schema(chart.merge_values(wrong))


@pytest.mark.parametrize(
    "values", [{}, {"podMonitor": {"enabled": False}, "llm": {"secret": "llm"}, "blobs": {"claim": ""}}]
)
def test_rendered_manifests_validate_strictly(values, tmp_path):
    documents = render(values)
    target = tmp_path / "all.yaml"
    target.write_text(yaml.safe_dump_all(documents))
    command = [str(Path(sys.executable).parent / "kubernetes-validate"), "--strict", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    kinds = [document["kind"] for document in documents]
    assert kinds.count("Deployment") == kinds.count("Service") == len(SERVICES)


def test_pods_are_probed_and_limited_and_only_the_sandbox_has_privileges():
    for document in render():
        if document["kind"] != "Deployment":
            continue
        pod = document["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        if document["metadata"]["labels"]["app.kubernetes.io/name"] == "sandbox-executor":
            # It builds namespaces and cgroups for foreign code; with less it refuses all jobs.
            assert container["securityContext"]["privileged"]
        else:
            assert pod["securityContext"]["runAsNonRoot"]
            assert container["securityContext"]["capabilities"]["drop"] == ["ALL"]
            assert not container["securityContext"]["allowPrivilegeEscalation"]
        assert {"startupProbe", "livenessProbe", "readinessProbe"} <= set(container)
        assert container["resources"]["requests"] and container["resources"]["limits"]
        assert container["securityContext"]["readOnlyRootFilesystem"]
        assert {"name": "http-metrics", "containerPort": 8080} in container["ports"]


def test_cluster_manifests_validate_and_select_pods_of_the_chart():
    files = sorted((ROOT / "k8s").glob("*.yaml"))
    assert files
    command = [str(Path(sys.executable).parent / "kubernetes-validate"), "--strict", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    pods = [document["spec"]["template"] for document in render() if document["kind"] == "Deployment"]
    policies = [
        document
        for file in files
        for document in yaml.safe_load_all(file.read_text())
        if document["kind"] == "NetworkPolicy"
    ]
    for policy in policies:
        wanted = policy["spec"]["podSelector"]["matchLabels"].items()
        chosen = [pod for pod in pods if wanted <= pod["metadata"]["labels"].items()]
        assert chosen, policy["metadata"]["name"]
        for rule in policy["spec"].get("ingress", ()):
            for port in rule["ports"]:
                assert all(
                    port["port"] in [each["containerPort"] for each in pod["spec"]["containers"][0]["ports"]]
                    for pod in chosen
                )
