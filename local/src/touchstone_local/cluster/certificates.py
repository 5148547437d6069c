"""The node's own certificate authority, and the files by which each part reaches the API."""

from __future__ import annotations

import datetime
import ipaddress
import json
from collections.abc import Sequence
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from touchstone_local.cluster.layout import ADDRESS, API_PORT, API_SERVICE_ADDRESS, DOMAIN, NAME, Layout

_DAYS = 365
_API_NAMES = (
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    f"kubernetes.default.svc.{DOMAIN}",
)
# Who asks the API: file, name, group. The groups and names are those that Kubernetes' own rules speak of.
_CLIENTS = (
    ("admin", "touchstone-admin", "system:masters"),
    ("controller-manager", "system:kube-controller-manager", ""),
    ("scheduler", "system:kube-scheduler", ""),
    ("proxy", "system:kube-proxy", ""),
    ("kubelet", f"system:node:{NAME}", "system:nodes"),
    ("dns", "touchstone-dns", "system:masters"),
    ("apiserver-to-kubelet", "touchstone-apiserver", "system:masters"),
)


# By whom the API passes a question on to a server that extends it, for example with metrics, and says who asked.
AGGREGATOR = "touchstone-aggregator"


def ensure(layout: Layout) -> None:
    """Have every key, certificate and kubeconfig; made once for a state folder."""
    folder = layout.keys
    if not (folder / "aggregator.crt").is_file():
        # An authority of its own: whom it vouches for may speak in anybody's name.
        _Authority(folder, "aggregator-ca").client("aggregator", AGGREGATOR, "")
    if (folder / "complete").is_file():
        return
    authority = _Authority(folder, "ca")
    authority.server("apiserver", _API_NAMES, ("127.0.0.1", ADDRESS, API_SERVICE_ADDRESS))
    authority.server("kubelet-server", (NAME,), ("127.0.0.1", ADDRESS))
    for file, name, group in _CLIENTS:
        authority.client(file, name, group)
        layout.kubeconfig(file).write_text(json.dumps(_kubeconfig(folder, file), indent=1))
    signing = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    _write_key(folder / "service-accounts.key", signing)
    (folder / "service-accounts.pub").write_bytes(
        signing.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    (folder / "complete").touch()


class _Authority:
    """A certificate authority of one node, whose key and certificate lie in files of this name."""

    def __init__(self, folder: Path, file: str) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"{NAME}-{file}")])
        certificate = (
            self._builder(self._name, self._key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .sign(self._key, hashes.SHA256())
        )
        _write_key(folder / f"{file}.key", self._key)
        _write_certificate(folder / f"{file}.crt", certificate)

    def server(self, file: str, names: Sequence[str], addresses: Sequence[str]) -> None:
        """Issue a certificate for a server with these names and addresses."""
        alternatives = [*map(x509.DNSName, names), *(x509.IPAddress(ipaddress.ip_address(one)) for one in addresses)]
        self._issue(file, names[0], "", ExtendedKeyUsageOID.SERVER_AUTH, x509.SubjectAlternativeName(alternatives))

    def client(self, file: str, name: str, group: str) -> None:
        """Issue a certificate by which a client shows its name and group."""
        self._issue(file, name, group, ExtendedKeyUsageOID.CLIENT_AUTH, None)

    def _issue(
        self,
        file: str,
        name: str,
        group: str,
        usage: x509.ObjectIdentifier,
        alternatives: x509.SubjectAlternativeName | None,
    ) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        attributes = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group)] if group else []
        subject = x509.Name([*attributes, x509.NameAttribute(NameOID.COMMON_NAME, name)])
        builder = (
            self._builder(subject, key)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        )
        if alternatives is not None:
            builder = builder.add_extension(alternatives, critical=False)
        _write_key(self._folder / f"{file}.key", key)
        _write_certificate(self._folder / f"{file}.crt", builder.sign(self._key, hashes.SHA256()))

    def _builder(self, subject: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        now = datetime.datetime.now(datetime.UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            # Clocks of one machine agree, but a certificate made this second is not valid in the second before.
            .not_valid_before(now - datetime.timedelta(minutes=5))
            .not_valid_after(now + datetime.timedelta(days=_DAYS))
        )


def _write_key(path: Path, key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> None:
    path.touch(mode=0o600)
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
        )
    )


def _write_certificate(path: Path, certificate: x509.Certificate) -> None:
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))


def _kubeconfig(folder: Path, file: str) -> dict[str, object]:
    """JSON is YAML: every client reads it."""
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": NAME,
        "contexts": [{"name": NAME, "context": {"cluster": NAME, "user": file}}],
        "clusters": [
            {
                "name": NAME,
                "cluster": {
                    "server": f"https://{ADDRESS}:{API_PORT}",
                    "certificate-authority": str(folder / "ca.crt"),
                },
            }
        ],
        "users": [
            {
                "name": file,
                "user": {
                    "client-certificate": str(folder / f"{file}.crt"),
                    "client-key": str(folder / f"{file}.key"),
                },
            }
        ],
    }
