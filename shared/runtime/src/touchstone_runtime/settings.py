"""The settings that all services share; each service adds its own in a subclass."""

from __future__ import annotations

import logging
import os
import re
import sys
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from touchstone_runtime.errors import PreconditionError
from touchstone_runtime.identity import Identity
from touchstone_runtime.kafka_access import KafkaAccess, Mechanism, Protocol

_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
# Every fetching program has a name of its own for the same bundle of certificates.
_BUNDLES = (
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "PIP_CERT",
    "GIT_SSL_CAINFO",
    "NODE_EXTRA_CA_CERTS",
    "AWS_CA_BUNDLE",
)


def network_variables() -> dict[str, str]:
    """What a program that fetches something needs of our environment: proxies and certificates.

    A bundle that stands under one name stands under all: who set it for one tool meant it for this network.
    """
    names = (*_PROXIES, *(name.lower() for name in _PROXIES), *_BUNDLES, "SSL_CERT_DIR")
    found = {name: os.environ[name] for name in names if os.environ.get(name)}
    bundle = next((found[name] for name in _BUNDLES if name in found), "")
    return found | {name: bundle for name in _BUNDLES if bundle and name not in found}


def _level(name: str) -> str:
    if name.upper() not in logging.getLevelNamesMapping():
        raise ValueError("it is debug, info, warning or error")
    return name


def _address(listen: str) -> str:
    if not listen.startswith("unix:") and not listen.rpartition(":")[2].isdecimal():
        raise ValueError("it is host:port")
    return listen


Listen = Annotated[str, AfterValidator(_address)]


class KafkaSettings(BaseSettings):
    """The broker and who we are there, from the environment with the prefix `TOUCHSTONE_`.

    Raises:
        PreconditionError: a variable holds what it cannot; no value is shown, for some are secret.
    """

    # Libraries' words for a wrong value quote it, those for two that do not go together the values of all settings.
    # Secrets that were made from files end as lines do.
    model_config = SettingsConfigDict(
        env_prefix="TOUCHSTONE_", extra="ignore", frozen=True, env_ignore_empty=True, hide_input_in_errors=True,
        str_strip_whitespace=True,
    )  # fmt: skip

    def __init__(self, **given: Any) -> None:
        try:
            super().__init__(**given)
        except (ValidationError, SettingsError) as error:
            thing, why = _wrong(error)
        else:
            return
        # Out here, so that no trace leads to theirs.
        raise PreconditionError(why, thing=thing, way_out="correct it, or unset it for its default")

    kafka_bootstrap: str = Field("127.0.0.1:9092", description="Kafka bootstrap servers, comma-separated")
    kafka_security_protocol: Protocol = Field(
        "PLAINTEXT", description="What the brokers' listener speaks: PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL"
    )
    kafka_sasl_mechanism: Mechanism = Field(
        "SCRAM-SHA-512", description="How the password is shown: SCRAM-SHA-512, SCRAM-SHA-256 or PLAIN"
    )
    kafka_user: str = Field("", description="User at the brokers, for the protocols with SASL")
    kafka_password: str = Field("", description="The user's password", repr=False)
    kafka_password_file: Path | None = Field(None, description="File of the password, where it is not given itself")
    kafka_ca: Path | None = Field(
        None,
        description="PEM file of the authority that brokers' certificates are from; empty: those the machine trusts",
    )
    kafka_certificate: Path | None = Field(
        None, description="PEM certificate that brokers are shown, if they ask for one"
    )
    kafka_key: Path | None = Field(None, description="PEM key of that certificate", repr=False)

    def kafka(self) -> KafkaAccess:
        """How every Kafka client of ours reaches the broker."""
        return KafkaAccess(
            bootstrap=self.kafka_bootstrap,
            protocol=self.kafka_security_protocol,
            mechanism=self.kafka_sasl_mechanism,
            user=self.kafka_user,
            password=self.kafka_password,
            password_file=self.kafka_password_file,
            ca=self.kafka_ca,
            certificate=self.kafka_certificate,
            key=self.kafka_key,
        )


def _wrong(error: ValidationError | SettingsError) -> tuple[str, str]:
    """The variable that is wrong, with a key inside where it has some, and why."""
    if isinstance(error, SettingsError):
        named = re.search(r'field "(\w+)"', str(error))
        return f"TOUCHSTONE_{named[1].upper()}" if named else "settings", "is no JSON"
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    name, *inside = (str(part) for part in first["loc"] or ("",))
    thing = f"TOUCHSTONE_{name.upper()}" if name else "settings"
    return ": ".join((thing, *inside)), first["msg"].removeprefix("Value error, ")


S = TypeVar("S", bound=KafkaSettings)


def settings_or_end(kind: type[S]) -> S:
    """The settings of a process; where one is wrong, its end, with one line in the log that says which and why."""
    try:
        return kind()
    except PreconditionError as error:
        # Loaded here: a command line that reads settings has no log.
        from touchstone_runtime.telemetry import configure, get_logger

        configure(kind.__module__.partition(".")[0].removeprefix("touchstone_").replace("_", "-"))
        get_logger().critical("wrong_setting", error=str(error))
        sys.exit(1)


class ServiceSettings(KafkaSettings):
    """Endpoints and limits, from the environment with the prefix `TOUCHSTONE_`."""

    kafka_replication: int = Field(1, ge=1, description="Replicas of each topic that the services create")
    database_url: str = Field(
        "postgresql+asyncpg://postgres@127.0.0.1:5432/postgres",
        description="SQLAlchemy URL with the asyncpg driver",
        repr=False,
    )
    blob_url: str = Field("file://.state/blobs", description="fsspec URL of the blob store, a folder or a bucket")
    state_dir: Path = Field(Path(".state"), description="Folder for caches that may be lost")
    models_dir: Path = Field(Path(".state/models"), description="Folder with one subfolder or file for each model")
    models_file: Path = Field(Path("models.toml"), description="Catalogue of chat models and their prices")

    grpc_listen: Listen = Field("127.0.0.1:0", description="host:port or unix:PATH that gRPC listens on")
    http_listen: Listen = Field("127.0.0.1:0", description="host:port of /live, /ready and /metrics")
    tokens_file: Path | None = Field(
        None,
        description="File of the tokens that callers must show; without one whoever reaches a port may come in",
    )
    token_file: Path | None = Field(None, description="File of the token that this service shows to the others")
    tls_certificate: Path | None = Field(None, description="PEM certificate chain that gRPC and HTTP answer with")
    tls_key: Path | None = Field(None, description="PEM key of the certificate", repr=False)
    tls_ca: str = Field(
        "", description="PEM file of the authority that other services' certificates are from, or system; empty: no TLS"
    )
    rpc_deadline_s: float = Field(3600.0, gt=0, description="Longest that any RPC runs, in seconds")
    stop_timeout_s: float = Field(
        20.0, ge=0, allow_inf_nan=False, description="How long a stop waits for work in flight, in seconds"
    )
    log_level: Annotated[str, AfterValidator(_level)] = Field("info", description="debug, info, warning or error")
    otlp_endpoint: str = Field(
        "", description="Collector that traces are sent to by OTLP over gRPC, http://host:4317 or https://; empty: none"
    )
    trace_share: float = Field(1.0, ge=0, le=1, description="Share of the traces that is kept, told by their ids")

    ingester_address: str = Field("127.0.0.1:7101", description="gRPC address of the ingester")
    embedder_address: str = Field("127.0.0.1:7102", description="gRPC address of the embedder")
    retriever_address: str = Field("127.0.0.1:7103", description="gRPC address of the retriever")
    annotator_address: str = Field("127.0.0.1:7104", description="gRPC address of the annotator")
    sandbox_address: str = Field("127.0.0.1:7105", description="gRPC address of the sandbox-executor")
    pbt_generator_address: str = Field("127.0.0.1:7106", description="gRPC address of the pbt-generator")
    evaluator_address: str = Field("127.0.0.1:7107", description="gRPC address of the evaluator")
    web_address: str = Field("127.0.0.1:7108", description="gRPC address of the web application: its health")
    web_url: str = Field("http://127.0.0.1:8108", description="Where readers reach the web application's pages")

    retry_attempts: int = Field(5, ge=1, description="Tries of one message before it goes to the dead letters")
    retry_backoff_s: float = Field(0.5, gt=0, description="First wait between tries, in seconds; doubles")
    retry_backoff_max_s: float = Field(15.0, gt=0, description="Longest wait between tries, in seconds")
    dead_letter_share: float = Field(
        0.5,
        gt=0,
        le=1,
        description="A consumer stops when the service itself failed at more than this share of its last 40 messages",
    )

    llm_base_url: str = Field("", description="OpenAI-compatible endpoint of the platform's own model; empty: none")
    llm_model: str = Field(
        "",
        description="Model that the platform's own agents use: a name in models.toml or at llm_base_url; empty: none",
    )
    llm_api_key: str = Field("", description="Key of llm_base_url; sent to its host and port alone", repr=False)
    llm_api_keys: dict[str, str] = Field(
        {}, description='Keys of other endpoints, JSON: {"host:port": "key"}; port 443 may be left out', repr=False
    )
    llm_budget_usd: float = Field(0.0, ge=0, description="Spending stops at this many US dollars; 0: no cap")
    llm_budget_tokens: int = Field(0, ge=0, description="Spending stops at this many tokens; 0: no cap")
    llm_concurrency: int = Field(2, ge=1, description="Requests to one endpoint at a time")
    llm_timeout_s: float = Field(300.0, gt=0, description="Longest wait for one answer, in seconds")

    def identity(self) -> Identity:
        """What this service shows to the others, and whose certificates it trusts."""
        return Identity.of("", self.token_file, self.tls_ca)
