"""What `helm/touchstone/demo.yaml` installs stands by itself: broker, database, blobs, index, Prometheus."""

import re
import subprocess
import sys
from pathlib import Path

import helm_python
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "helm" / "touchstone"
SERVICES = sorted(path.name for path in (ROOT / "services").iterdir() if (path / "pyproject.toml").exists())


def render(values=None, name="touchstone"):
    with helm_python.Chart.load(str(CHART)) as chart:
        files = chart.render(values or {}, name=name, namespace="touchstone")
    manifests = [text for path, text in files.items() if path.endswith(".yaml")]
    return [document for text in manifests for document in yaml.safe_load_all(text) if document]


def of_kind(documents, kind):
    return {document["metadata"]["name"]: document for document in documents if document["kind"] == kind}


def test_several_searches_at_a_time_find_room_in_the_databases_shared_memory():
    pod = of_kind(render(yaml.safe_load((CHART / "demo.yaml").read_text())), "StatefulSet")["touchstone-demo-postgres"]
    spec = pod["spec"]["template"]["spec"]
    (name,) = [one["name"] for one in spec["containers"][0]["volumeMounts"] if one["mountPath"] == "/dev/shm"]
    assert {"name": name, "emptyDir": {"medium": "Memory", "sizeLimit": "256Mi"}} in spec["volumes"]
    composed = yaml.safe_load((CHART.parents[1] / "docker-compose.yml").read_text())
    assert composed["services"]["postgres"]["shm_size"] == "256m"


def test_a_retriever_of_the_chart_holds_what_its_limit_allows():
    for document in of_kind(render({}), "Deployment").values():
        names = {one["name"] for one in document["spec"]["template"]["spec"]["containers"][0]["env"]}
        assert "TOUCHSTONE_SEARCH_MEMORY_MB" not in names, "left out, it is an eighth of the limit"


def scraping(documents):
    """How the demonstration's Prometheus asks the services, and the manifest of its pod."""
    (told,) = [each["data"] for name, each in of_kind(documents, "ConfigMap").items() if name.endswith("-prometheus")]
    (scraped,) = yaml.safe_load(told["prometheus.yml"])["scrape_configs"]
    (server,) = [each for name, each in of_kind(documents, "StatefulSet").items() if name.endswith("-prometheus")]
    return scraped, server["spec"]["template"]["spec"]


def test_its_prometheus_sees_pods_that_are_not_ready():
    """A consumer that stopped, and a pod that does not answer, are not: what is told of them must not hang on that."""
    documents = render(yaml.safe_load((CHART / "demo.yaml").read_text()))
    (looked_up,) = scraping(documents)[0]["dns_sd_configs"]
    services = of_kind(documents, "Service")
    for name in looked_up["names"]:
        spec = services[name]["spec"]
        assert spec["clusterIP"] == "None" and spec["publishNotReadyAddresses"] is True
    # Callers are led to ready pods alone.
    assert not [
        name for name in of_kind(documents, "Deployment") if services[name]["spec"].get("publishNotReadyAddresses")
    ]


@pytest.mark.parametrize("release", ["touchstone", "touchstone-staging-for-the-team-of-data-quality-eu", "a"])
def test_its_prometheus_names_every_service_whatever_the_release_is_called(release):
    given = yaml.safe_load((CHART / "demo.yaml").read_text())
    documents = render(given, release)
    scraped, _ = scraping(documents)
    (looked_up,) = scraped["dns_sd_configs"]
    services = of_kind(documents, "Service")
    for name in looked_up["names"]:
        labels = {}
        for rule in scraped["relabel_configs"]:
            if rule.get("source_labels") == ["__meta_dns_name"] and re.fullmatch(rule["regex"], name):
                labels[rule["target_label"]] = rule["replacement"]
        service = services[name]["spec"]["selector"]["app.kubernetes.io/name"]
        assert labels == {"job": service, "container": service}


@pytest.mark.parametrize("shut", [{}, {"tokens": "tokens"}, {"tls": "tls"}, {"tokens": "tokens", "tls": "tls"}])
def test_with_doors_its_prometheus_and_the_charts_test_show_what_is_asked_for(shut):
    documents = render(yaml.safe_load((CHART / "demo.yaml").read_text()) | {"doors": shut})
    scraped, server = scraping(documents)
    (asking,) = server["containers"]
    (tester,) = of_kind(documents, "Pod").values()
    (testing,) = tester["spec"]["containers"]
    variables = {each["name"]: each["value"] for each in testing.get("env", ())}

    def held(pod, container, path):
        """The secret and the key that a file of a container is from."""
        folder, _, file = path.rpartition("/")
        (name,) = [mount["name"] for mount in container["volumeMounts"] if mount["mountPath"] == folder]
        (secret,) = [volume["secret"] for volume in pod["volumes"] if volume["name"] == name]
        assert file in [item["path"] for item in secret["items"]]
        return secret["secretName"], file

    assert scraped.get("scheme", "http") == ("https" if "tls" in shut else "http")
    assert ("authorization" in scraped) == ("tokens" in shut) == ("TOUCHSTONE_TOKEN_FILE" in variables)
    assert ("tls_config" in scraped) == ("tls" in shut) == ("TOUCHSTONE_TLS_CA" in variables)
    if "tokens" in shut:
        assert held(server, asking, scraped["authorization"]["credentials_file"]) == ("tokens", "monitor")
        assert held(tester["spec"], testing, variables["TOUCHSTONE_TOKEN_FILE"]) == ("tokens", "pages")
    if "tls" in shut:
        assert held(server, asking, scraped["tls_config"]["ca_file"]) == ("tls", "ca.crt")
        assert held(tester["spec"], testing, variables["TOUCHSTONE_TLS_CA"]) == ("tls", "ca.crt")
        assert scraped["tls_config"]["server_name"] in of_kind(documents, "Deployment")


def test_the_demonstration_brings_what_the_platform_stands_on_and_every_pod_of_it_is_restricted(tmp_path):
    given = yaml.safe_load((CHART / "demo.yaml").read_text())
    given["demo"]["s3"] = {"claim": "kept"}
    documents = render(given)
    target = tmp_path / "all.yaml"
    target.write_text(yaml.safe_dump_all(documents))
    command = [str(Path(sys.executable).parent / "kubernetes-validate"), "--strict", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    services, sets = of_kind(documents, "Service"), of_kind(documents, "StatefulSet")
    settings = of_kind(documents, "ConfigMap")["touchstone-settings"]["data"]
    assert settings["TOUCHSTONE_KAFKA_BOOTSTRAP"].partition(":")[0] in services
    secret = of_kind(documents, "Secret")["touchstone-demo-database"]
    for service in SERVICES:
        address = secret["stringData"][service]
        role, _, rest = address.removeprefix("postgresql+asyncpg://").partition(":")
        password, _, host = rest.partition("@")
        assert role == f"touchstone_{service.replace('-', '_')}" and host.partition(":")[0] in services
        assert password == secret["stringData"][f"{service}-password"] and len(password) == 32
    passwords = [value for key, value in secret["stringData"].items() if key.endswith("-password")]
    assert len(set(passwords)) == len(SERVICES)
    # Blobs go to a bucket of its own, by keys that every service but the pages is given.
    assert settings["TOUCHSTONE_BLOB_URL"] == "s3://touchstone" and settings["AWS_ALLOW_HTTP"] == "true"
    for address in (settings["AWS_ENDPOINT_URL"].removeprefix("http://"), settings["TOUCHSTONE_WEAVIATE_GRPC"]):
        host, _, port = address.partition(":")
        assert int(port) in [each["port"] for each in services[host]["spec"]["ports"]]
    for name, deployment in of_kind(documents, "Deployment").items():
        pod = deployment["spec"]["template"]["spec"]
        keys = [each["valueFrom"]["secretKeyRef"] for each in pod["containers"][0]["env"] if "AWS_" in each["name"]]
        wanted = [] if name == "touchstone-web" else ["access-key", "secret-key"]
        assert [key["key"] for key in keys if key["name"] in of_kind(documents, "Secret")] == wanted
        assert not [volume for volume in pod["volumes"] if volume["name"] == "blobs"]
    claimed = {
        name: volume["persistentVolumeClaim"]["claimName"]
        for name, each in sets.items()
        for volume in each["spec"]["template"]["spec"]["volumes"]
        if "persistentVolumeClaim" in volume
    }
    assert claimed == {"touchstone-demo-s3": "kept"}
    # Its Prometheus asks every service, and has the chart's alerts.
    told = of_kind(documents, "ConfigMap")["touchstone-demo-prometheus"]["data"]
    assert yaml.safe_load(told["alerts.yaml"]) == yaml.safe_load((CHART / "files/alerts.yaml").read_text())
    (scraped,) = yaml.safe_load(told["prometheus.yml"])["scrape_configs"]
    (looked_up,) = scraped["dns_sd_configs"]
    selected = {services[name]["spec"]["selector"]["app.kubernetes.io/name"] for name in looked_up["names"]}
    assert selected == {name.removeprefix("touchstone-") for name in of_kind(documents, "Deployment")}
    # What the pods call is mounted, and what the database is told stands in one place for every way to install.
    demo = of_kind(documents, "ConfigMap")["touchstone-demo"]["data"]
    assert demo["role.sql"].strip() == (ROOT / "local/src/touchstone_local/role.sql").read_text().strip()
    assert demo["roles.sh"].strip() == (ROOT / "local/roles.sh").read_text().strip()
    (tester,) = [
        pod for pod in of_kind(documents, "Pod").values() if pod["metadata"]["annotations"]["helm.sh/hook"] == "test"
    ]
    compile(demo["check.py"], "check.py", "exec")
    compile(demo["words.py"], "words.py", "exec")
    for pod in [tester["spec"], *(each["spec"]["template"]["spec"] for each in sets.values())]:
        assert pod["securityContext"]["runAsNonRoot"] and pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        (container,) = pod["containers"]
        assert container["securityContext"] == {
            "readOnlyRootFilesystem": True, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]},
        }  # fmt: skip
    everything_off = {each["kind"] for each in render()}
    assert not everything_off & {"StatefulSet", "Secret", "Pod", "PersistentVolume"}
