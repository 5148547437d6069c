"""What `helm/touchstone/demo.yaml` installs stands by itself: broker, database, blobs, index, Prometheus."""

import subprocess
import sys
from pathlib import Path

import helm_python
import yaml

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "helm" / "touchstone"
SERVICES = sorted(path.name for path in (ROOT / "services").iterdir() if (path / "pyproject.toml").exists())


def render(values=None):
    with helm_python.Chart.load(str(CHART)) as chart:
        files = chart.render(values or {}, name="touchstone", namespace="touchstone")
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
    assert set(looked_up["names"]) == set(of_kind(documents, "Deployment")) <= set(services)
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
