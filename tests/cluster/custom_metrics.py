"""The API of custom metrics as far as the chart's HPA asks it: pods' calls, by the demonstration's Prometheus.

    python custom_metrics.py PORT

serves until its standard input ends. An adapter does this on a cluster of one's own. Here the cluster's API passes its
questions on to this process, which runs beside the node's daemons, and finds pods and Prometheus by the API in turn.
"""

from __future__ import annotations

import datetime
import json
import re
import ssl
import sys
import tempfile
import threading
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from kubernetes import client, config

GROUP = "custom.metrics.k8s.io"
VERSION = f"{GROUP}/v1beta2"
METRIC = "touchstone_runtime_rpcs_in_flight"
NAME = "custom-metrics"
PROMETHEUS = "touchstone-demo-prometheus"
WINDOW_S = 60
_QUESTION = re.compile(rf"/apis/{VERSION}/namespaces/([^/]+)/pods/[^/]+/({METRIC})")
_KEPT_DAYS = 1
RESOURCES = {
    "kind": "APIResourceList",
    "apiVersion": "v1",
    "groupVersion": VERSION,
    "resources": [
        {"name": f"pods/{METRIC}", "singularName": "", "namespaced": True, "kind": "MetricValueList", "verbs": ["get"]}
    ],
}


def objects(address: str, port: int) -> list[dict[str, Any]]:
    """What tells the cluster's API to pass the group's questions on to an address."""
    metadata = {"name": NAME, "namespace": "default"}
    ports = [{"port": 443, "targetPort": port}]
    return [
        {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"ports": ports}},
        {
            "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSlice",
            "metadata": metadata | {"labels": {"kubernetes.io/service-name": NAME}},
            "addressType": "IPv4",
            "ports": [{"port": port}],
            "endpoints": [{"addresses": [address]}],
        },
        {
            "apiVersion": "apiregistration.k8s.io/v1",
            "kind": "APIService",
            "metadata": {"name": f"v1beta2.{GROUP}"},
            "spec": {
                "group": GROUP, "version": "v1beta2", "groupPriorityMinimum": 100, "versionPriority": 100,
                "insecureSkipTLSVerify": True, "service": {"name": NAME, "namespace": "default", "port": 443},
            },
        },
    ]  # fmt: skip


def values(namespace: str, names: Mapping[str, str], series: Sequence[Mapping[str, Any]], now: str) -> dict[str, Any]:
    """The answer that the autoscaler reads.

    Args:
        namespace: Of the pods.
        names: Pods by their address.
        series: What Prometheus found, each with its pod's address and its value.
        now: When.
    """
    items = [
        {
            "describedObject": {
                "kind": "Pod",
                "namespace": namespace,
                "name": names[each["metric"]["pod"]],
                "apiVersion": "/v1",
            },
            "metric": {"name": METRIC, "selector": None},
            "timestamp": now,
            "windowSeconds": WINDOW_S,
            "value": f"{round(1000 * float(each['value'][1]))}m",
        }
        for each in series
        if each["metric"]["pod"] in names
    ]
    return {"kind": "MetricValueList", "apiVersion": VERSION, "metadata": {}, "items": items}


class Handler(BaseHTTPRequestHandler):
    """Answers one question."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """What there is, and how it stands with it."""
        asked = urllib.parse.urlsplit(self.path)
        question = _QUESTION.fullmatch(urllib.parse.unquote(asked.path))
        if question:
            selector = urllib.parse.parse_qs(asked.query).get("labelSelector", [""])[0]
            self._say(HTTPStatus.OK, answer(question[1], selector))
        elif asked.path.rstrip("/") == f"/apis/{VERSION}":
            self._say(HTTPStatus.OK, RESOURCES)
        else:
            self._say(HTTPStatus.NOT_FOUND, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404})

    def _say(self, status: HTTPStatus, body: Mapping[str, Any]) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Nothing: its standard error is nobody's."""


def answer(namespace: str, selector: str) -> dict[str, Any]:
    """Mean calls in flight of the last minute, of each pod that a selector names."""
    core: Any = client.CoreV1Api()
    pods = core.list_namespaced_pod(namespace, label_selector=selector).items
    names = {pod.status.pod_ip: pod.metadata.name for pod in pods if pod.status.pod_ip}
    address = core.read_namespaced_service(PROMETHEUS, namespace).spec.cluster_ip
    query = urllib.parse.urlencode({"query": f'avg_over_time({METRIC}{{namespace="{namespace}"}}[{WINDOW_S}s])'})
    with urllib.request.urlopen(f"http://{address}:9090/api/v1/query?{query}", timeout=60) as said:
        series = json.load(said)["data"]["result"]
    now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return values(namespace, names, series, now)


def certificate(folder: Path) -> Path:
    """A file with a key and a certificate of its own; the cluster's API is told not to look at it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    now = datetime.datetime.now(datetime.UTC)
    issued = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(minutes=5))
        .not_valid_after(now + datetime.timedelta(days=_KEPT_DAYS))
        .sign(key, hashes.SHA256())
    )
    file = folder / "server.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + issued.public_bytes(serialization.Encoding.PEM))
    return file


def main() -> None:
    """Serve in the node's own network, until whoever started this has ended or says so."""
    config.load_kube_config()
    server = ThreadingHTTPServer(("0.0.0.0", int(sys.argv[1])), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        context.load_cert_chain(certificate(Path(folder)))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main()
