"""Each container of docker-compose.yml on the node's containerd, with exactly the environment that compose gives it.

Compose itself needs an engine. What it would start is taken from `docker-compose config`, and started in its order as a
pod with the same name, command, variables, volumes, rights and health check; the services' images are built from the
same Dockerfile with the same arguments. Images of others cannot be had here: of these the same programs run, started as
their images start them, and for Grafana there is nothing to run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import installed
import modelled

from touchstone_local.cluster import building, images, installing
from touchstone_local.settings import checkout

NAMESPACE = "compose"
KUBECTL = installed.kubectl_in(NAMESPACE)
PROFILES = "s3,weaviate,model"
# What the header of the file offers with these profiles.
VARIABLES = {
    "TOUCHSTONE_BLOB_URL": "s3://touchstone", "AWS_ENDPOINT_URL": "http://s3:7070", "AWS_ALLOW_HTTP": "true",
    "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "composed", "AWS_SECRET_ACCESS_KEY": "composed-secret",
    "TOUCHSTONE_CODE_INDEX": "weaviate",
    "TOUCHSTONE_LLM_BASE_URL": "http://model:8080/v1", "TOUCHSTONE_LLM_MODEL": modelled.MODEL,
}  # fmt: skip
# Neither its program nor its image can be had from registries of packages.
LEFT_OUT = {"grafana"}
BUSYBOX = f"{building.REGISTRY}/busybox:1"
_TOOLS = ("sh", "chown", "mkdir")
# What the images of others start, in the words of their Dockerfiles; the program is the same one.
_STARTS = {
    "model": list(modelled.START),
    "s3": ["versitygw"],
    "weaviate": ["/bin/weaviate", "--host", "0.0.0.0", "--port", "8080", "--scheme", "http"],
    "prometheus": [
        "/bin/prometheus", "--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/prometheus"
    ],
    # Its image writes what KAFKA_* says into the broker's properties, and formats a new folder.
    "kafka": ["/bin/sh", "-ec", """
env | sed -n 's/^KAFKA_//p' | while IFS='=' read -r name value; do
  echo "$(echo "$name" | tr 'A-Z_' 'a-z.')=$value"
done > /tmp/server.properties
/opt/kafka/bin/kafka-storage.sh format --ignore-formatted -t dG91Y2hzdG9uZS1jb21wb3M -c /tmp/server.properties
exec /opt/kafka/bin/kafka-server-start.sh /tmp/server.properties"""],
    # Its image makes the database of POSTGRES_*, and runs what lies in docker-entrypoint-initdb.d.
    "postgres": ["/bin/sh", "-ec", """
export PGDATA=/var/lib/postgresql/18/docker PGHOST=/tmp
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA"; printf %s "$POSTGRES_PASSWORD" > /tmp/password
  initdb --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 -D "$PGDATA"
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  pg_ctl -D "$PGDATA" -o "-c listen_addresses='' -k /tmp" -w start
  createdb -U "$POSTGRES_USER" "$POSTGRES_DB"
  for file in /docker-entrypoint-initdb.d/*.sh; do sh "$file"; done
  pg_ctl -D "$PGDATA" -w -m fast stop
fi
exec postgres -D "$PGDATA" -k /tmp -c listen_addresses='*'"""],
}  # fmt: skip
# Of these images the health check's program is not here, or looks elsewhere; the port is asked in its place.
_PORTS = {"kafka": 9092, "postgres": 5432, "weaviate": 8080, "s3": 7070, "prometheus": 9090, "model": 8080}
# Whose images run as root.
_ROOTS = ("versity/", "ghcr.io/ggml-org/")
_USER = 10001
Line = dict[str, Any]


def composed(_seconds: float) -> Line:
    """Start every container in compose's order, then let code in, a search, a task and a verdict through, and look."""
    services = resolved()
    wanted = [name for name in ordered(services) if name not in LEFT_OUT]
    _have_busybox()
    modelled.have(installed.layout())
    folder = Path(installed.layout().state, "compose")
    _kubectl("create", "namespace", NAMESPACE, quietly=True)
    privileged = "pod-security.kubernetes.io/enforce=privileged"
    _kubectl("label", "namespace", NAMESPACE, privileged, "--overwrite")
    try:
        installed.until("an account", lambda: _kubectl("get", "serviceaccount", "default", quietly=True))
        for name in wanted:
            for each in objects(name, services[name], folder):
                _kubectl("create", "-f", "-", given=json.dumps(each))
            if "build" not in services[name]:
                _kubectl("wait", f"--for={_ending(services[name])}", f"pod/{name}", "--timeout=600s")
        built = [name for name in wanted if "build" in services[name]]
        _kubectl("wait", "--for=condition=Ready", *(f"pod/{name}" for name in built), "--timeout=900s")
        told = [*_used(), _asked()]
        targets = _targets(services["prometheus"])
        environment = {name: _differs(name, services[name]) for name in built}
    except RuntimeError as error:
        return {"problem": f"{error}\n{_kubectl('get', 'pods', quietly=True)}"}
    finally:
        _kubectl("delete", "namespace", NAMESPACE, "--wait=true", "--timeout=300s", quietly=True)
        installed.call("rm", "-rf", str(folder))
    wrong = {name: differs for name, differs in environment.items() if differs}
    problem = (
        "" if not wrong and set(built) <= targets else f"variables differ: {wrong}; Prometheus reads {sorted(targets)}"
    )
    return {"ran": wanted, "left_out": sorted(LEFT_OUT), "told": told, "read": sorted(targets), "problem": problem}


def resolved() -> dict[str, Any]:
    """The services as the engine would be told of them."""
    command = [str(Path(sys.executable).parent / "docker-compose"), "-f", str(checkout() / "docker-compose.yml")]
    for profile in PROFILES.split(","):
        command += ["--profile", profile]
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", **VARIABLES, **_models()}
    done = subprocess.run(
        [*command, "config", "--format", "json"], env=environment, capture_output=True, text=True, check=True
    )
    whole = json.loads(done.stdout)
    for service in whole["services"].values():
        for each in service.get("configs") or ():
            each["content"] = whole["configs"][each["source"]]["content"]
    return dict(whole["services"])


def _models() -> dict[str, str]:
    models, converted = map(str, installing.model_folders().values())
    return {"TOUCHSTONE_MODELS": models, "TOUCHSTONE_CONVERTED_MODELS": converted}


def ordered(services: dict[str, Any]) -> list[str]:
    """Names, each behind those that it depends on."""
    done: list[str] = []
    while left := [name for name in services if name not in done]:
        done += [name for name in left if set(services[name].get("depends_on") or ()) <= set(done)]
    return done


def objects(name: str, service: dict[str, Any], folder: Path) -> list[dict[str, Any]]:
    """A pod that is told what compose tells the container, a name for it, and its files."""
    volumes, mounts = [], []
    files = {f"config-{number}": each for number, each in enumerate(service.get("configs") or ())}
    for number, each in enumerate(service.get("volumes") or ()):
        path = Path(each["source"]) if each["type"] == "bind" else _volume(folder, each["source"])
        volumes.append({"name": f"volume-{number}", "hostPath": {"path": str(path)}})
        read_only = bool(each.get("read_only"))
        mounts.append({"name": f"volume-{number}", "mountPath": each["target"], "readOnly": read_only})
    for key, each in files.items():
        volumes.append({"name": key, "configMap": {"name": name}})
        mounts.append({"name": key, "mountPath": each["target"], "subPath": key})
    ours = "build" in service
    command = service.get("command") or []
    if ours:
        image = f"{building.REGISTRY}/{service['image'].split('/')[1].split(':')[0]}:{installing.tag()}"
        running: dict[str, Any] = {"args": command} if command else {}
    elif service["image"].startswith("busybox"):
        image, running = BUSYBOX, {"command": command}
    else:
        image = modelled.IMAGE if name == "model" else building.DEMO
        running = {"command": [*_STARTS[name], *command]}
    container = {
        "name": name, "image": image, "imagePullPolicy": "Never", **running, "volumeMounts": mounts,
        "env": [{"name": key, "value": value or ""} for key, value in (service.get("environment") or {}).items()],
        "securityContext": _rights(service, ours or image == BUSYBOX),
    }  # fmt: skip
    if ours:
        check = service["healthcheck"]["test"]
        probe = {"exec": {"command": check[1:]}, "periodSeconds": 10, "timeoutSeconds": 30}
        container["readinessProbe"] = probe
    elif name in _PORTS:
        container["readinessProbe"] = {"tcpSocket": {"port": _PORTS[name]}, "periodSeconds": 2}
    once = image == BUSYBOX
    spec = {
        "containers": [container], "volumes": volumes, "restartPolicy": "Never" if once else "Always",
        "enableServiceLinks": False, "automountServiceAccountToken": False, "hostname": name,
    }  # fmt: skip
    around = {"name": name, "namespace": NAMESPACE, "labels": {"composed": name}}
    made = [{"apiVersion": "v1", "kind": "Pod", "metadata": around, "spec": spec}]
    # A name of compose stands for the container whatever its health.
    told = {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": around["labels"]}
    made.append({"apiVersion": "v1", "kind": "Service", "metadata": around, "spec": told | {"ports": [{"port": 1}]}})
    if files:
        data = {key: each["content"] for key, each in files.items()}
        made.insert(0, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": around, "data": data})
    return made


def _rights(service: dict[str, Any], as_it_is: bool) -> dict[str, Any]:
    """Compose's rights; stand-ins for images of others run as a user of their own, but where the image is root's."""
    if service.get("privileged"):
        return {"privileged": True, "runAsUser": 0, "runAsGroup": 0}
    rights: dict[str, Any] = {} if as_it_is else {"runAsUser": 0 if service["image"].startswith(_ROOTS) else _USER}
    if "ALL" in (service.get("cap_drop") or ()):
        rights["capabilities"] = {"drop": ["ALL"]}
    if "no-new-privileges:true" in (service.get("security_opt") or ()):
        rights["allowPrivilegeEscalation"] = False
    return rights


def _volume(folder: Path, name: str) -> Path:
    """A new volume: the engine gives it to the user of the first image; containers of the file give away the others."""
    place = folder / name
    if not place.is_dir():
        place.mkdir(parents=True)
        if name not in ("blobs", "bucket", "keys"):
            os.chown(place, _USER, _USER)
    return place


def _ending(service: dict[str, Any]) -> str:
    return "jsonpath={.status.phase}=Succeeded" if service["image"].startswith("busybox") else "condition=Ready"


def _have_busybox() -> None:
    layout = installed.layout()
    archive = layout.state / "busybox.tar"
    shell = (layout.packages / "bin/busybox").read_bytes()
    files: dict[str, bytes | str] = {"bin/busybox": shell, **{f"bin/{name}": "busybox" for name in _TOOLS}}
    images.write_archive(archive, BUSYBOX, files, ["/bin/sh"], user="")
    installed.call(*images.CTR, "images", "import", str(archive))


def _used() -> list[Line]:
    """What the chart's own test asks of an installation, asked here, with its code in a folder of the ingester."""
    demo = checkout() / "helm" / "touchstone" / "files" / "demo"
    words = ("exec", "-i", "ingester", "--", "sh", "-c", "mkdir /tmp/demo && cat > /tmp/demo/words.py")
    _kubectl(*words, given=(demo / "words.py").read_text())
    script = (demo / "check.py").read_text().replace('"/demo"', '"/tmp/demo"')
    answer = _kubectl("exec", "evaluator", "--", "python", "-c", script)
    return [json.loads(line) for line in answer.splitlines() if line.startswith("{")]


def _asked() -> Line:
    """What the platform gets to hear from the model: a run over one task, from its question to the verdict."""
    return json.loads(_kubectl("exec", "evaluator", "--", "python", "-c", modelled.ASK).splitlines()[-1])


def _targets(prometheus: dict[str, Any]) -> set[str]:
    """Services that compose's Prometheus reads."""
    assert prometheus["configs"]

    def up() -> set[str]:
        path = f"/api/v1/namespaces/{NAMESPACE}/pods/prometheus:9090/proxy/api/v1/targets"
        found = json.loads(_kubectl("get", "--raw", path))["data"]["activeTargets"]
        return {each["labels"]["job"] for each in found if each["health"] == "up"}

    installed.until("Prometheus reads eight services", lambda: len(up()) == 8, 120)
    return up()


def _differs(name: str, service: dict[str, Any]) -> list[str]:
    """Variables that the container's process does not have as compose gives them."""
    script = "import json, os; print(json.dumps(dict(os.environ)))"
    has = json.loads(_kubectl("exec", name, "--", "python", "-c", script))
    return sorted(key for key, value in (service.get("environment") or {}).items() if has.get(key) != (value or ""))


def _kubectl(*words: str, given: str | None = None, quietly: bool = False) -> str:
    try:
        return installed.call(*KUBECTL, *words, given=given)
    except RuntimeError:
        if quietly:
            return ""
        raise
