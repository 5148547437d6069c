"""The compose file, the chart and the folders agree, and both are valid."""

import importlib.metadata
import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import helm_python
import pytest
import yaml

from ingester.domain.libraries import default_libraries
from touchstone_contracts.topics import TOPICS
from touchstone_local.cluster import building
from touchstone_runtime.bus import Bus
from touchstone_runtime.migrating import folder_of
from touchstone_runtime.settings import ServiceSettings

ROOT = Path(__file__).resolve().parents[2]
SERVICES = sorted(path.name for path in (ROOT / "services").iterdir() if (path / "pyproject.toml").exists())
# Every image: the services, and the clients that run as servers.
FOLDERS = {name: ROOT / "services" / name for name in SERVICES} | {"web": ROOT / "clients" / "web"}
IMAGES = sorted(FOLDERS)
CHART = ROOT / "helm" / "touchstone"


def render(values=None, name="touchstone"):
    with helm_python.Chart.load(str(CHART)) as chart:
        files = chart.render(values or {}, name=name, namespace="touchstone")
    manifests = [text for path, text in files.items() if path.endswith(".yaml")]
    return [document for text in manifests for document in yaml.safe_load_all(text) if document]


def of_kind(documents, kind):
    return {document["metadata"]["name"]: document for document in documents if document["kind"] == kind}


def cards():
    return [yaml.safe_load(path.read_text()) for path in (ROOT / "shared/contracts/topics").glob("*.yaml")]


# The annotator's work waits in its database: a topic's lag says nothing of it.
SCALED = {"services": {each: {"autoscaling": {"enabled": True}} for each in SERVICES if each != "annotator"}}
EVERYTHING = {
    "image": {"pullSecrets": ["registry"]},
    "serviceAccount": {"annotations": {"example.org/role": "reader"}},
    "kafka": {"bootstrap": "a:9092,b:9092"},
    "blobs": {
        "url": "s3://bucket/prefix",
        "claim": "",
        "endpoint": "http://store:9000",
        "region": "eu",
        "secret": "s3",
    },
    "models": {"catalogue": 'default = "m"\n'},
    "llm": {"baseUrl": "http://model:8000/v1", "model": "m", "secret": "llm"},
    "services": {
        "embedder": {
            "image": {"digest": "sha256:" + "0" * 64},
            "database": {"secret": "embedder-database"},
            "extraEnv": [{"name": "HF_HUB_OFFLINE", "value": "1"}],
            "extraVolumes": [{"name": "weights", "emptyDir": {}}],
            "extraVolumeMounts": [{"name": "weights", "mountPath": "/weights"}],
            "nodeSelector": {"gpu": "yes"},
            "affinity": {"podAntiAffinity": {}},
            "tolerations": [{"key": "gpu", "operator": "Exists"}],
            "podLabels": {"team": "search"},
            "podAnnotations": {"example.org/note": "x"},
            "priorityClassName": "high",
            "runtimeClassName": "gvisor",
            "stateSize": "2Gi",
            "terminationGracePeriodSeconds": 90,
            "disruptionBudget": {"maxUnavailable": 1},
        }
    },
}


def test_seven_services():
    assert SERVICES == [
        "annotator", "embedder", "evaluator", "ingester", "pbt-generator", "retriever", "sandbox-executor",
    ]  # fmt: skip


def test_the_same_services_everywhere():
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    built = sorted(name for name, service in compose["services"].items() if "build" in service)
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    processes = tomllib.loads((ROOT / "local/src/touchstone_local/processes.toml").read_text())["service"]
    assert built == IMAGES
    assert sorted(values["services"]) == IMAGES
    assert sorted(process["name"] for process in processes) == IMAGES
    assert {name for card in cards() for name in [card["owner"], *card["producers"], *card["consumers"]]} <= set(
        SERVICES
    )


@pytest.mark.parametrize("service", SERVICES)
def test_the_migrations_of_a_service_are_one_row(service):
    folder = ROOT / "services" / service / "src" / service.replace("-", "_") / "migrations" / "versions"
    found = [
        dict(re.findall(r'^(revision|down_revision) = "(\w+)"', file.read_text(), re.M)) for file in folder.glob("*.py")
    ]
    row = sorted(each["revision"] for each in found)
    assert row == [f"{number:04d}" for number in range(1, len(row) + 1)]
    assert sorted(each["down_revision"] for each in found if "down_revision" in each) == row[:-1]


@pytest.mark.parametrize("service", SERVICES)
def test_each_service_has_its_parts(service):
    folder = ROOT / "services" / service
    package = folder / "src" / service.replace("-", "_")
    for name in ("pyproject.toml", "system-packages.txt", "README.md", "requirements.lock"):
        assert (folder / name).is_file(), f"{service} lacks {name}"
    for name in ("app.py", "settings.py", "errors.py", "ports.py", "handlers.py", "rpc.py", "metrics.py"):
        # A module that grew is a package.
        whole = package / name.removesuffix(".py") / "__init__.py"
        assert (package / name).is_file() or whole.is_file(), f"{service} lacks {name}"


def test_the_web_application_has_its_parts_and_holds_no_secret_of_the_services():
    folder = FOLDERS["web"]
    for name in ("pyproject.toml", "system-packages.txt", "README.md", "requirements.lock"):
        assert (folder / name).is_file(), f"web lacks {name}"
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["web"]
    named = set(compose["environment"])
    values = {"llm": {"secret": "llm"}, "web": {"secret": "web"}}
    (pod,) = [
        document["spec"]["template"]["spec"]
        for document in render(values)
        if document["kind"] == "Deployment" and document["metadata"]["name"].endswith("-web")
    ]
    named |= {each["name"] for each in pod["containers"][0]["env"]}
    assert not named & {"TOUCHSTONE_DATABASE_URL", "TOUCHSTONE_LLM_API_KEY", "TOUCHSTONE_BLOB_URL"}
    assert "TOUCHSTONE_WEB_TOKEN" in named
    assert [volume.rpartition(":/")[2] for volume in compose["volumes"]] == ["keys:ro"]
    assert "blobs" not in {volume["name"] for volume in pod["volumes"]}


def test_the_compose_file_is_valid():
    command = [str(Path(sys.executable).parent / "docker-compose"), "-f", str(ROOT / "docker-compose.yml"), "config"]
    done = subprocess.run([*command, "-q"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_image_comes_from_one_template_and_runs_as_nobody_special():
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert "ARG BASE" in dockerfile and re.search(r"^USER \d+", dockerfile, re.MULTILINE)
    assert not list(ROOT.glob("services/*/Dockerfile")) + list(ROOT.glob("clients/*/Dockerfile"))
    built = {
        name: service["build"]
        for name, service in yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"].items()
        if "build" in service
    }
    processes = tomllib.loads((ROOT / "local/src/touchstone_local/processes.toml").read_text())["service"]
    modules = {process["name"]: process["module"] for process in processes}
    for name, folder in FOLDERS.items():
        given = built[name]["args"]
        assert ROOT / given["FOLDER"] == folder and given["MODULE"] == modules[name]
        assert find_spec(given["MODULE"])
    assert {(image.name, image.folder, image.module) for image in building.IMAGES} == {
        (name, build["args"]["FOLDER"], build["args"]["MODULE"]) for name, build in built.items()
    }


def test_the_dockerfile_passes_hadolint():
    command = [str(Path(sys.executable).parent / "hadolint"), str(ROOT / "Dockerfile")]
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
    "values",
    [{}, {"llm": {"secret": "llm"}, "blobs": {"claim": ""}}, EVERYTHING, {"doors": {"tokens": "t", "tls": "c"}}],
)
def test_rendered_manifests_validate_strictly(values, tmp_path):
    documents = render(values)
    target = tmp_path / "all.yaml"
    target.write_text(yaml.safe_dump_all(documents))
    command = [str(Path(sys.executable).parent / "kubernetes-validate"), "--strict", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    kinds = [document["kind"] for document in documents]
    assert kinds.count("Deployment") == kinds.count("Service") == len(IMAGES)


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


def test_where_an_autoscaler_rules_no_count_is_set_and_no_replica_would_stand_idle():
    documents = render(SCALED)
    partitions = {card["topic"]: card["partitions"] for card in cards()}
    consumed = {(service, card["topic"]) for card in cards() for service in card["consumers"]}
    scaled = {**of_kind(documents, "ScaledObject"), **of_kind(documents, "HorizontalPodAutoscaler")}
    deployments = of_kind(documents, "Deployment")
    # The pages are light and hold no messages: their count is set by hand.
    assert sorted([*scaled, "touchstone-annotator", "touchstone-web"]) == sorted(deployments)
    for name, scaler in scaled.items():
        assert "replicas" not in deployments[name]["spec"]
        assert scaler["spec"]["scaleTargetRef"]["name"] == name
        if scaler["kind"] == "ScaledObject":
            service = name.removeprefix("touchstone-")
            triggers = [trigger["metadata"] for trigger in scaler["spec"]["triggers"]]
            assert {(service, trigger["topic"]) for trigger in triggers} <= consumed
            assert scaler["spec"]["maxReplicaCount"] <= max(partitions[trigger["topic"]] for trigger in triggers)
            bus = Bus(ServiceSettings(), service)
            topics = {topic.name: topic for topic in TOPICS}
            assert all(trigger["consumerGroup"] == bus.group(topics[trigger["topic"]]) for trigger in triggers)


def test_no_lag_scales_what_keeps_its_work_in_its_database():
    values = yaml.safe_load((ROOT / "helm" / "touchstone" / "values.yaml").read_text())["services"]
    assert "autoscaling" not in values["annotator"]
    assert {name for name, each in values.items() if "autoscaling" in each} == {*SERVICES} - {"annotator"}


def test_without_an_autoscaler_the_count_is_set():
    assert all(deployment["spec"]["replicas"] == 1 for deployment in of_kind(render(), "Deployment").values())


def test_names_stay_within_a_label_and_apart():
    documents = render(SCALED, name="a-release-with-a-name-that-is-as-long-as-helm-allows-53ch")
    for kind in ("Deployment", "Service", "ConfigMap", "ScaledObject"):
        names = [document["metadata"]["name"] for document in documents if document["kind"] == kind]
        assert len(names) == len(set(names))
        assert all(len(name) <= 63 for name in names)
    (settings,) = [document for document in documents if document["kind"] == "ConfigMap"]
    services = of_kind(documents, "Service")
    for service in SERVICES:
        variable = f"TOUCHSTONE_{service.removesuffix('-executor').replace('-', '_').upper()}_ADDRESS"
        host = re.fullmatch(r"dns:///(.+):7100", settings["data"][variable])[1]
        assert host in services


def test_callers_see_every_replica():
    assert all(service["spec"]["clusterIP"] == "None" for service in of_kind(render(), "Service").values())


def test_a_pod_goes_on_while_names_forget_it_and_has_time_for_its_work_afterwards():
    settings = ServiceSettings()
    for values, drained in (({}, 5), ({"drainSeconds": 11}, 11)):
        for deployment in of_kind(render(values), "Deployment").values():
            pod = deployment["spec"]["template"]["spec"]
            (container,) = pod["containers"]
            assert container["lifecycle"]["preStop"]["exec"]["command"] == ["sleep", str(drained)]
            assert pod["terminationGracePeriodSeconds"] > drained + 2 * settings.stop_timeout_s


def test_the_executor_of_foreign_code_is_given_no_key_of_a_model():
    deployments = of_kind(render({"llm": {"secret": "llm"}}), "Deployment")
    for name, deployment in deployments.items():
        (container,) = deployment["spec"]["template"]["spec"]["containers"]
        names = {variable["name"] for variable in container["env"]}
        keyless = name in ("touchstone-sandbox-executor", "touchstone-web")
        assert ("TOUCHSTONE_LLM_API_KEY" in names) == (not keyless)


def test_each_service_has_a_database_role_of_its_own_and_the_executor_no_key_of_a_model():
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    script = (ROOT / "local" / "roles.sh").read_text()
    for service in SERVICES:
        given, schema = compose[service]["environment"], service.replace("-", "_")
        assert f"//touchstone_{schema}:" in given["TOUCHSTONE_DATABASE_URL"]
        assert f"{schema.upper()}_PASSWORD" in compose["postgres"]["environment"]
        assert f" {schema} " in script or f" {schema};" in script
        assert ("TOUCHSTONE_LLM_API_KEY" in given) is (service != "sandbox-executor")
    assert "TOUCHSTONE_DATABASE_URL" not in compose["web"]["environment"]
    for name, deployment in of_kind(render(), "Deployment").items():
        (container,) = deployment["spec"]["template"]["spec"]["containers"]
        keys = {v["name"]: v.get("valueFrom", {}).get("secretKeyRef") for v in container["env"]}
        service = name.removeprefix("touchstone-")
        expected = None if service == "web" else {"name": "touchstone-database", "key": service}
        assert keys.get("TOUCHSTONE_DATABASE_URL") == expected


def test_schemas_are_migrated_before_an_upgrade_by_the_new_image_with_the_services_own_role():
    images = {
        name: deployment["spec"]["template"]["spec"]["containers"][0]["image"]
        for name, deployment in of_kind(render(), "Deployment").items()
    }
    jobs = of_kind(render(), "Job")
    assert sorted(jobs) == sorted(f"touchstone-{service}-migrate" for service in SERVICES)
    for name, job in jobs.items():
        service = name.removeprefix("touchstone-").removesuffix("-migrate")
        assert job["metadata"]["annotations"]["helm.sh/hook"] == "pre-upgrade"
        pod = job["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        assert container["image"] == images[f"touchstone-{service}"]
        module = container["command"][-1]
        assert folder_of(module).parent.name == module == service.replace("-", "_")
        (variable,) = container["env"]
        assert variable["valueFrom"] == {"secretKeyRef": {"name": "touchstone-database", "key": service}}
        assert pod["securityContext"]["runAsNonRoot"] and container["securityContext"]["capabilities"]["drop"] == [
            "ALL"
        ]
    assert not of_kind(render({"migrations": {"hook": False}}), "Job")


def test_every_alert_speaks_of_metrics_that_there_are_and_says_what_to_do():
    rendered = render({"alerts": {"enabled": True, "labels": {"release": "prometheus"}}})
    (rule,) = of_kind(rendered, "PrometheusRule").values()
    assert rule["metadata"]["labels"]["release"] == "prometheus"
    written = yaml.safe_load((CHART / "files" / "alerts.yaml").read_text())
    assert rule["spec"] == written
    handbook = (ROOT / "k8s" / "README.md").read_text()
    sources = [*ROOT.glob("services/*/src/*/metrics.py"), ROOT / "shared/runtime/src/touchstone_runtime/metrics.py"]
    metrics = {name for path in sources for name in re.findall(r'"(touchstone_[a-z_]+)"', path.read_text())}
    for alert in [each for group in written["groups"] for each in group["rules"]]:
        named = set(re.findall(r"touchstone_[a-z_]+", alert["expr"]))
        assert {re.sub("_(bucket|sum)$", "", name) for name in named} <= metrics | {"touchstone"}, alert["alert"]
        assert f"### {alert['alert']}\n" in handbook
        assert alert["annotations"]["runbook"] == f"k8s/README.md#{alert['alert'].lower()}"
        assert alert["for"] and alert["labels"]["severity"] in ("warning", "critical")


def test_each_replica_of_the_executor_knows_its_own_address():
    for name, deployment in of_kind(render(), "Deployment").items():
        (container,) = deployment["spec"]["template"]["spec"]["containers"]
        told = {v["name"]: v.get("value", v.get("valueFrom")) for v in container["env"]}
        if name == "touchstone-sandbox-executor":
            assert told["POD_IP"] == {"fieldRef": {"fieldPath": "status.podIP"}}
            assert told["TOUCHSTONE_SANDBOX_REPLICA_ADDRESS"] == "$(POD_IP):7100"
            # A variable is put together from those that stand before it.
            assert list(told).index("POD_IP") < list(told).index("TOUCHSTONE_SANDBOX_REPLICA_ADDRESS")
        else:
            assert "POD_IP" not in told


DOORS = {"doors": {"tokens": "tokens", "tls": "tls"}, "podMonitor": {"enabled": True}}


def test_tokens_and_certificates_come_by_reference_everywhere():
    named = {"TOKENS_FILE", "TOKEN_FILE", "TLS_CERTIFICATE", "TLS_KEY", "TLS_CA"}
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    for name in IMAGES:
        assert {f"TOUCHSTONE_{each}" for each in named} <= set(compose[name]["environment"])
        assert any(volume.endswith(":/keys:ro") for volume in compose[name]["volumes"])
        assert compose[name]["environment"]["TOUCHSTONE_TOKENS_FILE"] == "${TOUCHSTONE_TOKENS_FILE:-}"
    assert compose["web"]["environment"]["TOUCHSTONE_TOKEN_FILE"] == "${TOUCHSTONE_PAGES_TOKEN:-}"
    rendered = render(DOORS)
    for name, deployment in of_kind(rendered, "Deployment").items():
        pod = deployment["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        given = {v["name"].removeprefix("TOUCHSTONE_"): v.get("value", "") for v in container["env"]}
        assert named <= set(given)
        mounts = {mount["mountPath"] for mount in container["volumeMounts"]}
        assert all(given[each].rpartition("/")[0] in mounts for each in named)
        own = "pages" if name.endswith("-web") else "service"
        (tokens,) = [volume["secret"] for volume in pod["volumes"] if volume["name"] == "tokens"]
        assert given["TOKEN_FILE"].endswith(f"/{own}")
        assert [item["key"] for item in tokens["items"]] == ["tokens.json", own]
        probes = ("startupProbe", "livenessProbe", "readinessProbe")
        assert {container[probe]["httpGet"]["scheme"] for probe in probes} == {"HTTPS"}
    (monitor,) = of_kind(rendered, "PodMonitor").values()
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
    assert endpoint["scheme"] == "https" and endpoint["authorization"]["credentials"]["key"] == "monitor"
    plain = of_kind(render({"podMonitor": {"enabled": True}}), "PodMonitor")["touchstone"]
    (open_endpoint,) = plain["spec"]["podMetricsEndpoints"]
    assert set(open_endpoint) == {"port", "relabelings"}


def test_every_prometheus_names_the_service_as_job_and_says_that_it_is_of_the_platform():
    """The alert for a silent service and the lines of dashboards hang on these two labels."""
    (monitor,) = of_kind(render({"podMonitor": {"enabled": True}}), "PodMonitor").values()
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
    demonstration = of_kind(render({"demo": {"enabled": True}}), "ConfigMap")["touchstone-demo-prometheus"]["data"]
    (demo,) = yaml.safe_load(demonstration["prometheus.yml"])["scrape_configs"]
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["configs"]["prometheus"]["content"]
    (composed,) = yaml.safe_load(compose)["scrape_configs"]
    for rules in (endpoint["relabelings"], demo["relabel_configs"], composed["relabel_configs"]):
        given = {rule.get("targetLabel", rule.get("target_label")): rule for rule in rules}
        assert given["part_of"]["replacement"] == "touchstone"
        assert given["job"].get("sourceLabels", given["job"].get("source_labels"))
    alerts = yaml.safe_load((CHART / "files" / "alerts.yaml").read_text())
    down = [rule["expr"] for group in alerts["groups"] for rule in group["rules"] if rule["alert"] == "TouchstoneDown"]
    assert down == ['up{part_of="touchstone"} == 0']


def test_an_empty_variable_is_no_setting(monkeypatch):
    for name in ("TOKENS_FILE", "TOKEN_FILE", "TLS_CERTIFICATE", "TLS_KEY", "TLS_CA"):
        monkeypatch.setenv(f"TOUCHSTONE_{name}", "")
    settings = ServiceSettings()
    assert (settings.tokens_file, settings.token_file, settings.tls_certificate, settings.tls_ca) == (
        None,
        None,
        None,
        "",
    )


def test_every_value_of_a_service_reaches_its_pod():
    deployment = of_kind(render(EVERYTHING), "Deployment")["touchstone-embedder"]
    template = deployment["spec"]["template"]
    pod = template["spec"]
    (container,) = pod["containers"]
    given = EVERYTHING["services"]["embedder"]
    assert container["image"] == f"touchstone/embedder@{given['image']['digest']}"
    for name in ("nodeSelector", "affinity", "tolerations", "priorityClassName", "runtimeClassName"):
        assert pod[name] == given[name]
    assert pod["terminationGracePeriodSeconds"] == 90
    assert pod["imagePullSecrets"] == [{"name": "registry"}]
    assert given["podLabels"].items() <= template["metadata"]["labels"].items()
    assert given["podAnnotations"].items() <= template["metadata"]["annotations"].items()
    assert given["extraEnv"][0] in container["env"]
    assert given["extraVolumes"][0] in pod["volumes"]
    assert given["extraVolumeMounts"][0] in container["volumeMounts"]
    secrets = {v["name"]: v["valueFrom"]["secretKeyRef"]["name"] for v in container["env"] if "valueFrom" in v}
    assert secrets["TOUCHSTONE_DATABASE_URL"] == "embedder-database"
    assert secrets["AWS_ACCESS_KEY_ID"] == secrets["AWS_SECRET_ACCESS_KEY"] == "s3"
    assert {"name": "state", "emptyDir": {"sizeLimit": "2Gi"}} in pod["volumes"]


def test_the_executor_brings_every_library_that_a_task_may_ask_for():
    allowed = default_libraries().allowed
    locked = (ROOT / "services/sandbox-executor/requirements.lock").read_text()
    pinned = set(re.findall(r"^([a-z0-9._-]+)==", locked, re.MULTILINE))
    outside = {name.split(".")[0] for name in allowed} - sys.stdlib_module_names
    installed = importlib.metadata.packages_distributions()
    for name in sorted(outside):
        distributions = {one.lower().replace("_", "-") for one in installed.get(name, [])}
        assert distributions & pinned, f"a task may import {name}, and the executor's image does not bring it"


def test_topics_are_backed_up_from_a_pod_that_reaches_the_broker_as_services_do():
    kafka = {"sasl": {"user": "t", "secret": "t"}, "tls": {"enabled": True, "ca": "ca", "client": "c"}}
    documents = render({"kafka": kafka})
    (job,) = of_kind(documents, "CronJob").values()
    assert job["spec"]["suspend"] and job["metadata"]["name"] == "touchstone-topics"
    asked = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    served = of_kind(documents, "Deployment")["touchstone-ingester"]["spec"]["template"]["spec"]
    (pod,), (service,) = asked["containers"], served["containers"]
    assert (pod["image"], pod["envFrom"]) == (service["image"], service["envFrom"])
    of_broker = [each for each in service["env"] if "KAFKA" in each["name"]]
    assert pod["env"] == of_broker and len(of_broker) == 4
    assert asked["volumes"] == [each for each in served["volumes"] if each["name"] == "kafka"]
    assert asked["securityContext"]["runAsNonRoot"] and pod["securityContext"] == service["securityContext"]
    assert find_spec("touchstone_runtime.topic_backup")


def test_cluster_manifests_validate():
    files = sorted((ROOT / "k8s").glob("*.yaml"))
    assert files
    command = [str(Path(sys.executable).parent / "kubernetes-validate"), "--strict", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
