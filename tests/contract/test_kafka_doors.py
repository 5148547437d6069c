"""A real broker behind TLS and passwords: who has both works as ever, who has not is told which setting is wrong."""

import asyncio
import datetime
import ipaddress
import json
import os
import subprocess
import sys
import uuid
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.errors import TopicAuthorizationFailedError, for_code
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from touchstone_contracts.events import SourceRequested
from touchstone_contracts.topics import SOURCE_REQUESTED
from touchstone_local import jars, ports
from touchstone_local import kafka as local_kafka
from touchstone_runtime.broker_view import BrokerView
from touchstone_runtime.bus import Bus
from touchstone_runtime.errors import PermanentError, TouchstoneError
from touchstone_runtime.kafka_access import KafkaAccess
from touchstone_runtime.rereading import reread
from touchstone_runtime.retry import GivenUpError
from touchstone_runtime.settings import KafkaSettings, ServiceSettings

pytestmark = [pytest.mark.real, pytest.mark.timeout(300)]

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "right-3f1c"
PLAIN_MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule required"
SCRAM_MODULE = "org.apache.kafka.common.security.scram.ScramLoginModule required"


class Authority:
    """A certificate authority of the test's own."""

    def __init__(self, folder, name):
        self.folder, self.key = folder, ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        whole = x509.BasicConstraints(ca=True, path_length=None)
        self.file = folder / f"{name}.crt"
        self.file.write_bytes(self._sign(self.name, self.key, whole))

    def issue(self, name):
        """Files of a certificate for the loopback address, of its key, and of both."""
        key = ec.generate_private_key(ec.SECP256R1())
        address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        files = [self.folder / f"{name}.{kind}" for kind in ("crt", "key", "pem")]
        certificate = self._sign(subject, key, address)
        secret = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        for file, content in zip(files, (certificate, secret, secret + certificate), strict=True):
            file.write_bytes(content)
        return files

    def _sign(self, subject, key, extension):
        now = datetime.datetime.now(datetime.UTC)
        made = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self.name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(hours=2))
            .add_extension(extension, critical=False)
            .sign(self.key, hashes.SHA256())
        )
        return made.public_bytes(serialization.Encoding.PEM)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A broker with one listener of each kind; gives what a client of each must know."""
    folder = tmp_path_factory.mktemp("doors")
    authority, other = Authority(folder, "authority"), Authority(folder, "other")
    *_, pem = authority.issue("broker")
    certificate, key, _ = authority.issue("client")
    secret = folder / "password"
    secret.write_text(PASSWORD + "\n")
    ssl, plain, both = ports.free_ports(3)
    properties = {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": pem,
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": authority.file,
        "listener.name.ssl.ssl.client.auth": "required",
        "listener.name.sasl_plaintext.sasl.enabled.mechanisms": "PLAIN",
        "listener.name.sasl_plaintext.plain.sasl.jaas.config": f'{PLAIN_MODULE} user_alice="{PASSWORD}";',
        "listener.name.sasl_ssl.sasl.enabled.mechanisms": "SCRAM-SHA-512",
        "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config": f"{SCRAM_MODULE};",
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS;User:alice;User:CN=client",
    }
    listeners = {"SSL": ssl, "SASL_PLAINTEXT": plain, "SASL_SSL": both}
    doors = local_kafka.Doors(listeners, properties, {"alice": PASSWORD, "touchstone": PASSWORD})
    user = {"kafka_user": "alice", "kafka_password_file": secret}
    known = {
        "SSL": {"kafka_ca": authority.file, "kafka_certificate": certificate, "kafka_key": key},
        "SASL_PLAINTEXT": user | {"kafka_sasl_mechanism": "PLAIN"},
        "SASL_SSL": user | {"kafka_ca": authority.file},
        # Who is allowed what k8s/options allows, and nothing else.
        "rights": user | {"kafka_ca": authority.file, "kafka_user": "touchstone"},
    }
    spoken = {name: "SASL_SSL" if name == "rights" else name for name in known}
    with local_kafka.start(folder / "broker", doors=doors) as server:
        allow(server.bootstrap)
        settings = {
            name: {
                "kafka_bootstrap": f"127.0.0.1:{listeners[spoken[name]]}",
                "kafka_security_protocol": spoken[name],
                **each,
            }
            for name, each in known.items()
        }
        yield SimpleNamespace(settings=settings, other=other.file, plain=server.bootstrap, folder=folder)


def allow(bootstrap):
    """Give the user of k8s/options the rights that it has there."""
    user = next(
        each
        for each in yaml.safe_load_all((ROOT / "k8s/options/strimzi.yaml").read_text())
        if each["kind"] == "KafkaUser"
    )
    command = [str(jars.java()), "-cp", ":".join(map(str, jars.ensure("kafka"))), "org.apache.kafka.tools.AclCommand"]
    command += ["--bootstrap-server", bootstrap, "--add", "--allow-principal", f"User:{user['metadata']['name']}"]
    for rule in user["spec"]["authorization"]["acls"]:
        resource = rule["resource"]
        kind = {"prefix": "prefixed", "literal": "literal"}[resource["patternType"]]
        given = [part for operation in rule["operations"] for part in ("--operation", operation)]
        place = [f"--{resource['type']}", resource["name"], "--resource-pattern-type", kind]
        subprocess.run([*command, *place, *given], check=True, capture_output=True, timeout=120)


def named(settings):
    """Settings as the environment names them."""
    return {f"TOUCHSTONE_{name.upper()}": str(value) for name, value in settings.items()}


@pytest.mark.parametrize("protocol", ["SSL", "SASL_PLAINTEXT", "SASL_SSL", "rights"])
async def test_events_go_out_and_come_in_are_set_aside_read_again_and_counted(guarded, protocol):
    mark = uuid.uuid4().hex[:8]
    settings = ServiceSettings(**guarded.settings[protocol], retry_backoff_s=0.01)
    bus, done = Bus(settings, f"test-{mark}"), []

    async def handle(event):
        if event.source_id == f"{mark}-1":
            raise PermanentError("not this one", thing=event.source_id)
        done.append(event.source_id)

    bus.consume(SOURCE_REQUESTED, handle)
    await bus.start()
    try:
        events = [SourceRequested(source_id=f"{mark}-{number}", request_id="r") for number in range(3)]
        await bus.publish_all(SOURCE_REQUESTED, events)
        async with asyncio.timeout(120):
            while not {f"{mark}-0", f"{mark}-2"} <= set(done) or await bus.lag() != 0:
                await asyncio.sleep(0.1)
        assert await bus.absence() == ""
        assert f"{mark}-1" not in done
        again = [
            event.source_id async for part in reread(settings.kafka(), SOURCE_REQUESTED, {}) for event in part.events
        ]
        assert {f"{mark}-{number}" for number in range(3)} <= set(again)
        view = BrokerView(settings.kafka())
        await view.let_go(replace(SOURCE_REQUESTED, consumers=(bus.service,), retention_days=0))
        await view.close()
        assert not [part async for part in reread(settings.kafka(), SOURCE_REQUESTED, {})]
    finally:
        await bus.stop()
    # The dead letter is found and sent again by the command line, which reads the same settings.
    environment = named(guarded.settings[protocol]) | {"PATH": "/usr/bin:/bin"}
    for arguments in (["list", "--json"], ["replay", "--all", "--json"]):
        command = [sys.executable, "-c", "from touchstone_cli.dlq import app; app()", *arguments]
        ended = await asyncio.to_thread(
            subprocess.run, command, env=environment, capture_output=True, timeout=120, check=False
        )
        assert ended.returncode == 0, ended.stderr.decode()
        assert json.loads(ended.stdout)


def wrong_settings(guarded):
    """What is wrong, what then is said, and whether that is waited for."""
    both, tls = guarded.settings["SASL_SSL"], guarded.settings["SSL"]
    false = guarded.folder / "false"
    false.write_text("wrong")
    without = {name: value for name, value in tls.items() if name not in ("kafka_certificate", "kafka_key")}
    return {
        "password": (both | {"kafka_password_file": false}, f"TOUCHSTONE_KAFKA_PASSWORD_FILE={false}", False),
        "user": (both | {"kafka_user": "mallory"}, "mallory (TOUCHSTONE_KAFKA_USER)", False),
        "authority": (both | {"kafka_ca": guarded.other}, f"TOUCHSTONE_KAFKA_CA={guarded.other}", False),
        "no authority": (both | {"kafka_ca": None}, "TOUCHSTONE_KAFKA_CA: ", False),
        "mechanism": (both | {"kafka_sasl_mechanism": "PLAIN"}, "TOUCHSTONE_KAFKA_SASL_MECHANISM", False),
        "no user": (both | {"kafka_user": ""}, "TOUCHSTONE_KAFKA_USER", False),
        "no password": (both | {"kafka_password_file": None}, "TOUCHSTONE_KAFKA_PASSWORD_FILE", False),
        "no such file": (both | {"kafka_ca": guarded.folder / "none"}, "TOUCHSTONE_KAFKA_CA=", False),
        "no certificate": (without, "TOUCHSTONE_KAFKA_SECURITY_PROTOCOL", True),
        "no TLS": (both | {"kafka_security_protocol": "SASL_PLAINTEXT"}, "TOUCHSTONE_KAFKA_SECURITY_PROTOCOL", True),
        "nothing shown": (
            {"kafka_bootstrap": guarded.settings["SASL_PLAINTEXT"]["kafka_bootstrap"]},
            "TOUCHSTONE_KAFKA_SECURITY_PROTOCOL",
            True,
        ),
        "TLS to a plain one": (both | {"kafka_bootstrap": guarded.plain}, "TOUCHSTONE_KAFKA_SECURITY_PROTOCOL", True),
    }


WRONG = (
    "password", "user", "authority", "no authority", "mechanism", "no user", "no password", "no such file",
    "no certificate", "no TLS", "nothing shown", "TLS to a plain one",
)  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
async def test_a_wrong_setting_is_named(guarded, wrong):
    settings, said, waits = wrong_settings(guarded)[wrong]
    access = KafkaSettings(**settings).kafka()
    if waits:
        # A broker that comes up late hangs up, too: the word for it stands in the log and at /ready.
        assert said in str(await access.refusal())
        return
    bus = Bus(ServiceSettings(**settings), "test-wrong")
    async with asyncio.timeout(60):
        with pytest.raises((TouchstoneError, GivenUpError)) as told:
            await bus.start()
    await bus.stop()
    assert said in str(told.value)
    assert PASSWORD not in str(told.value) and "wrong" not in repr(access.password)


async def test_the_rights_of_the_options_reach_no_further_than_the_platform(guarded):
    options = KafkaSettings(**guarded.settings["rights"]).kafka().options()
    admin = AIOKafkaAdminClient(**options)
    await admin.start()
    try:
        answer = await admin.create_topics([NewTopic("elsewhere", 1, 1)])
        (_, code, *_) = answer.topic_errors[0]
        assert for_code(code) is TopicAuthorizationFailedError
    finally:
        await admin.close()


async def test_who_is_right_or_finds_nobody_is_refused_by_nobody(guarded):
    for settings in guarded.settings.values():
        assert await KafkaSettings(**settings).kafka().refusal() is None
    assert await KafkaAccess(f"127.0.0.1:{ports.free_ports(1)[0]}").refusal() is None


def test_a_service_with_a_wrong_password_ends_in_one_line(guarded, tmp_path):
    settings, said, _ = wrong_settings(guarded)["password"]
    program = (
        "from touchstone_runtime.service import run_service\n"
        "from touchstone_runtime.settings import ServiceSettings\n"
        "async def wire(runtime): pass\n"
        "run_service('trial', ServiceSettings(), wire)\n"
    )
    environment = dict(os.environ) | named(settings) | {"TOUCHSTONE_BLOB_URL": f"file://{tmp_path}"}
    ended = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 1
    assert "Traceback" not in ended.stdout + ended.stderr
    lines = [json.loads(line) for line in (ended.stdout + ended.stderr).splitlines()]
    (refused,) = [line for line in lines if line["event"] == "service_refused"]
    assert said in refused["error"]
