"""Which sandbox a command uses: the one that is named, however it listens, before one of its own."""

import datetime
import ipaddress
from concurrent import futures

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from touchstone.sandbox.v1 import sandbox_pb2 as pb
from touchstone.sandbox.v1 import sandbox_pb2_grpc as rpc
from touchstone_cli.sandbox_server import sandbox


class Describing(rpc.SandboxServiceServicer):
    def Describe(self, request, context):
        return pb.DescribeResponse(workers=41)


def credentials(folder):
    """What a server at 127.0.0.1 shows, whose certificate lies in the folder."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + datetime.timedelta(hours=1))
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    authority = x509.BasicConstraints(ca=True, path_length=None)
    made = builder.add_extension(address, critical=False).add_extension(authority, critical=True)
    shown = made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    (folder / "cert.pem").write_bytes(shown)
    forms = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return grpc.ssl_server_credentials([(key.private_bytes(*forms), shown)])


@pytest.mark.parametrize("tls", [False, True])
def test_the_sandbox_that_is_named_is_used(tmp_path, monkeypatch, tls):
    with futures.ThreadPoolExecutor() as pool:
        server = grpc.server(pool)
        rpc.add_SandboxServiceServicer_to_server(Describing(), server)
        if tls:
            port = server.add_secure_port("127.0.0.1:0", credentials(tmp_path))
            monkeypatch.setenv("TOUCHSTONE_TLS_CA", str(tmp_path / "cert.pem"))
        else:
            port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        monkeypatch.setenv("TOUCHSTONE_SANDBOX_ADDRESS", f"127.0.0.1:{port}")
        try:
            with sandbox() as service:
                assert service.address == f"127.0.0.1:{port}"
                assert service.call("Describe").workers == 41
        finally:
            server.stop(None)
