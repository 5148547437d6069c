"""The git token is shown to the host that it belongs to, and to nobody that git meets from there on."""

import datetime
import ipaddress
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from ingester.adapters.git_repository import GitRepository
from ingester.errors import SourceUnavailableError

TOKEN = "very-secret-token"
ADVERTISED = b"001e# service=git-upload-pack\n0000000eversion 2\n000cls-refs\n0000"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
LISTED = f"0032{COMMIT} HEAD\n0000".encode()


class Host(ThreadingHTTPServer):
    """A git server over https that keeps what it was shown, or sends everybody elsewhere."""

    def __init__(self, context, elsewhere=""):
        super().__init__(("127.0.0.1", 0), Answers)
        self.elsewhere = elsewhere
        self.shown = []
        self.socket = context.wrap_socket(self.socket, server_side=True)

    @property
    def place(self):
        return f"127.0.0.1:{self.server_port}"


class Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        return

    def do_GET(self):
        self.server.shown.append(self.headers.get("authorization", ""))
        if self.server.elsewhere:
            self.send_response(301)
            self.send_header("location", f"https://{self.server.elsewhere}{self.path}")
            self.send_header("content-length", "0")
            self.end_headers()
            return
        self._answer("advertisement", ADVERTISED)

    def do_POST(self):
        self.server.shown.append(self.headers.get("authorization", ""))
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self._answer("result", LISTED)

    def _answer(self, kind, body):
        self.send_response(200)
        self.send_header("content-type", f"application/x-git-upload-pack-{kind}")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture(scope="module")
def context(tmp_path_factory):
    """TLS at 127.0.0.1, and the file of its authority."""
    folder = tmp_path_factory.mktemp("tls")
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    made_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made_context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return made_context, folder / "cert.pem"


@pytest.fixture
def serve(context, monkeypatch):
    """Starts hosts whose certificates this machine trusts, by a bundle that another tool's variable names."""
    made, bundle = context
    for name in ("SSL_CERT_FILE", "CURL_CA_BUNDLE", "PIP_CERT", "GIT_SSL_CAINFO"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(bundle))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    started = []

    def start(elsewhere=""):
        host = Host(made, elsewhere)
        threading.Thread(target=host.serve_forever, args=(0.02,), daemon=True).start()
        started.append(host)
        return host

    yield start
    for host in started:
        host.shutdown()
        host.server_close()


def test_the_host_of_the_token_is_shown_it_and_no_other(serve):
    own, other = serve(), serve()
    repository = GitRepository(TOKEN, own.place)
    assert repository.head(f"https://{own.place}/a.git", "") == COMMIT
    assert repository.head(f"https://{other.place}/a.git", "") == COMMIT
    assert set(own.shown) == {f"Bearer {TOKEN}"}
    assert other.shown and set(other.shown) == {""}


def test_a_host_that_sends_git_elsewhere_takes_no_token_along(serve):
    other = serve()
    own = serve(elsewhere=other.place)
    with pytest.raises(SourceUnavailableError) as caught:
        GitRepository(TOKEN, own.place).head(f"https://{own.place}/a.git", "")
    assert TOKEN not in str(caught.value)
    assert own.shown == [f"Bearer {TOKEN}"]
    assert not [shown for shown in other.shown if TOKEN in shown]


def test_without_a_token_a_repository_that_moved_is_found(serve):
    other = serve()
    own = serve(elsewhere=other.place)
    assert GitRepository().head(f"https://{own.place}/a.git", "") == COMMIT
