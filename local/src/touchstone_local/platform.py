"""What one machine's platform consists of, where its parts listen, and the settings that services get."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from touchstone_local import access, jars, ports, processes
from touchstone_local.errors import LocalError
from touchstone_local.processes import Running
from touchstone_local.programs import search_path
from touchstone_local.settings import Folders, checkout, environment, setting

MODEL_KEYS = ("TOUCHSTONE_LLM_API_KEY", "TOUCHSTONE_LLM_API_KEYS")
# As settings name this machine.
_HERE = ("127.0.0.1", "localhost", "::1")
_LAST_PORT = 65_535
# So far behind its port of gRPC is a service's port of HTTP, where ports are demanded.
_HTTP_BEHIND = 100
# A service tells its broker where it is, closes its connections, and sends the last of its traces.
_AFTER_S = 20.0
PROCESS_LIST = Path(__file__).with_name("processes.toml")


@dataclass(frozen=True)
class Service:
    """One service of the process list.

    Attributes:
        name: What people call it, and its folder.
        module: What `python -m` runs.
        address: Setting by which the others find it.
        grpc_port: Preferred port of gRPC.
        http_port: Preferred port of probes, metrics and pages.
        environment: Settings of its own, unless the user sets them otherwise.
        with_small_model: The same, for a platform whose chat model is the small one that comes with it.
        nice: How far its process stands back behind the others, 0 to 19.
        session_nice: The same between sessions, where a machine shares its processors by session first; `nice` if None.
        stores: Whether it keeps anything in the database.
        asks_model: Whether it asks a chat model; who does not gets no key of one.
    """

    name: str
    module: str
    address: str
    grpc_port: int
    http_port: int
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    with_small_model: Mapping[str, str] = field(default_factory=dict[str, str])
    nice: int = 0
    session_nice: int | None = None
    stores: bool = True
    asks_model: bool = True

    @property
    def schema(self) -> str:
        """Its own schema in the database; empty for one that stores nothing."""
        return self.name.replace("-", "_") if self.stores else ""


@dataclass(frozen=True)
class Listening:
    """Where a service listens on loopback."""

    grpc: str
    http: str


@dataclass
class Platform:
    """Addresses of a platform, as kept in `platform.json`.

    Attributes:
        kafka: Bootstrap address; empty until the broker runs.
        database: SQLAlchemy URL of the administrator, with the password; empty until the server runs.
        model: Address of the chat model's API, ending in `/v1`; empty where there is none.
        model_name: Name of the chat model.
        services: Where each service listens.
        weaviate: host:port of the HTTP endpoint of a Weaviate of our own; empty where codes are indexed elsewhere.
        weaviate_grpc: The same for gRPC.
        databases: SQLAlchemy URL by schema, each of a role that sees that schema only; none where a server was named.
    """

    kafka: str = ""
    database: str = ""
    model: str = ""
    model_name: str = ""
    services: dict[str, Listening] = field(default_factory=dict[str, Listening])
    weaviate: str = ""
    weaviate_grpc: str = ""
    databases: dict[str, str] = field(default_factory=dict[str, str])

    def write(self, path: Path) -> None:
        """Write the file in one step, readable by its owner only: it holds the database's password."""
        processes.write_whole(path, json.dumps(asdict(self), indent=1) + "\n", 0o600)


def services() -> list[Service]:
    """The process list."""
    return [Service(**table) for table in tomllib.loads(PROCESS_LIST.read_text("utf-8"))["service"]]


def read(folders: Folders) -> Platform | None:
    """The addresses of the platform that was last started here, or None."""
    try:
        content = json.loads(folders.platform_file.read_text())
        listening = {name: Listening(**entry) for name, entry in content.pop("services").items()}
        return Platform(services=listening, **content)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def choose_addresses(folders: Folders, held: Mapping[str, bool] | None = None) -> Platform:
    """Addresses for a start: the last ones, else the preferred ones, else free ones.

    Args:
        folders: Where the last addresses are kept.
        held: Services that already run at their last address and keep it.

    Raises:
        LocalError: `TOUCHSTONE_PORT_BASE` demands ports and one of them is taken.
    """
    last = read(folders) or Platform()
    chosen = replace(last, services={})
    taken: set[int] = set()
    for service in services():
        if (held or {}).get(service.name) and service.name in last.services:
            chosen.services[service.name] = last.services[service.name]
            for address in (last.services[service.name].grpc, last.services[service.name].http):
                ports.claim(_port(address))
            continue
        before = last.services.get(service.name)
        if pair := demanded(service.name):
            for port in pair:
                ports.demand_free(port, service.name, "free it, or name another TOUCHSTONE_PORT_BASE")
                if not ports.claim(port):
                    raise LocalError(
                        f"port {port} belongs to another platform of this machine",
                        thing=service.name,
                        way_out="name another TOUCHSTONE_PORT_BASE",
                    )
        else:
            pair = (
                _free(_port(before.grpc) if before else 0, service.grpc_port, taken),
                _free(_port(before.http) if before else 0, service.http_port, taken),
            )
        chosen.services[service.name] = Listening(f"{ports.LOOPBACK}:{pair[0]}", f"{ports.LOOPBACK}:{pair[1]}")
    return chosen


def demanded(name: str) -> tuple[int, int] | None:
    """The ports of a service for gRPC and HTTP that `TOUCHSTONE_PORT_BASE` demands; None where it is not set.

    Raises:
        LocalError: it is no number, or there are no such ports.
    """
    base = setting("TOUCHSTONE_PORT_BASE")
    if not base:
        return None
    names = [service.name for service in services()]
    most = _LAST_PORT - _HTTP_BEHIND - len(names) + 1
    if not base.isdecimal() or not 0 < int(base) <= most:
        raise LocalError(
            "is no port that others follow", thing=f"TOUCHSTONE_PORT_BASE={base}", way_out=f"name one of 1 to {most}"
        )
    grpc = int(base) + names.index(name)
    return grpc, grpc + _HTTP_BEHIND


def _port(address: str) -> int:
    return int(address.rpartition(":")[2])


def _free(last: int, preferred: int, taken: set[int]) -> int:
    for port in (last, preferred):
        if port and port not in taken and ports.is_free(port) and ports.claim(port):
            taken.add(port)
            return port
    while (port := ports.free_ports(1)[0]) in taken or not ports.claim(port):
        continue
    taken.add(port)
    return port


def external(name: str) -> str:
    """An endpoint that the user named instead of a local part: `kafka_bootstrap`, `database_url` or `llm_base_url`."""
    return setting(f"TOUCHSTONE_{name.upper()}")


def models_file() -> Path:
    """The catalogue of models that services read."""
    return Path(setting("TOUCHSTONE_MODELS_FILE", str(checkout() / "models.toml")))


def service_stop_s(process: Running | None = None) -> float:
    """Seconds that a service has to end in: for what it has in hand, as its own setting says, and for what follows.

    Args:
        process: It, or its supervisor, where what it was started with counts: whoever stops it may have other settings.
    """
    own = processes.environment_of(process) if process is not None else {}
    try:
        in_hand = float(own.get("TOUCHSTONE_STOP_TIMEOUT_S") or setting("TOUCHSTONE_STOP_TIMEOUT_S", "20"))
    except ValueError:
        # No service starts with it.
        in_hand = 0.0
    return (in_hand if math.isfinite(in_hand) else 0.0) + _AFTER_S


def own_weaviate() -> bool:
    """Whether codes are indexed in a Weaviate that this platform has to bring: `TOUCHSTONE_CODE_INDEX=weaviate`."""
    return setting("TOUCHSTONE_CODE_INDEX") == "weaviate" and not external("weaviate_http")


def settings_of(service: Service, platform: Platform, folders: Folders) -> dict[str, str]:
    """The whole environment of a service's process.

    Raises:
        LocalError: the platform has no address for the service.
    """
    if service.name not in platform.services:
        raise LocalError("has no address", thing=service.name, way_out="run `touchstone down`, then `touchstone up`")
    own = platform.services[service.name]
    addresses = {
        f"TOUCHSTONE_{other.address.upper()}": platform.services[other.name].grpc
        for other in services()
        if other.name in platform.services
    }
    base = environment()
    base |= _past_proxies(base)
    base["PATH"] = search_path(base.get("PATH", ""))
    if not service.asks_model:
        for key in MODEL_KEYS:
            base.pop(key, None)
    settings = {
        "TOUCHSTONE_KAFKA_BOOTSTRAP": platform.kafka,
        "TOUCHSTONE_DATABASE_URL": platform.databases.get(
            service.schema, "" if platform.databases else platform.database
        ),
        "TOUCHSTONE_BLOB_URL": setting("TOUCHSTONE_BLOB_URL", f"file://{folders.state / 'blobs'}"),
        "TOUCHSTONE_STATE_DIR": str(folders.state),
        "TOUCHSTONE_TOOLCHAINS_DIR": setting("TOUCHSTONE_TOOLCHAINS_DIR", str(folders.cache)),
        "TOUCHSTONE_MODELS_DIR": str(folders.models),
        "TOUCHSTONE_CONVERTED_MODELS_DIR": str(folders.converted_models),
        "TOUCHSTONE_MODELS_FILE": str(models_file()),
        "TOUCHSTONE_LLM_BASE_URL": platform.model,
        "TOUCHSTONE_LLM_MODEL": platform.model_name,
        "TOUCHSTONE_TOKENS_FILE": setting("TOUCHSTONE_TOKENS_FILE", str(access.tokens_file(folders))),
        "TOUCHSTONE_TOKEN_FILE": setting("TOUCHSTONE_TOKEN_FILE", str(access.shown_by(service.name, folders))),
        "TOUCHSTONE_GRPC_LISTEN": own.grpc,
        "TOUCHSTONE_HTTP_LISTEN": own.http,
        "PYTHONUNBUFFERED": "1",
    }
    own_settings = dict(service.environment)
    if platform.model and not external("llm_base_url"):
        own_settings |= service.with_small_model
        # A small machine's model answers one request after another: waiting in its queue is no fault.
        settings["TOUCHSTONE_LLM_TIMEOUT_S"] = setting("TOUCHSTONE_LLM_TIMEOUT_S", "1200")
    compiler = jars.folder_of("ecj", folders.cache) / jars.locked("ecj")[0].name
    if compiler.is_file():
        settings["TOUCHSTONE_ECJ_JAR"] = setting("TOUCHSTONE_ECJ_JAR", str(compiler))
    if platform.weaviate:
        settings |= {"TOUCHSTONE_WEAVIATE_HTTP": platform.weaviate, "TOUCHSTONE_WEAVIATE_GRPC": platform.weaviate_grpc}
    if "web" in platform.services:
        settings["TOUCHSTONE_WEB_URL"] = setting("TOUCHSTONE_WEB_URL", f"http://{platform.services['web'].http}")
    specific = {name: setting(name, value) for name, value in own_settings.items()}
    return base | settings | addresses | specific


def _past_proxies(variables: Mapping[str, str]) -> dict[str, str]:
    """What excepts this machine from proxies that are named for fetching: Weaviate and the model server run here."""
    proxies = ("http_proxy", "https_proxy", "all_proxy", "grpc_proxy")
    if not any(name.lower() in proxies and value for name, value in variables.items()):
        return {}
    named = variables.get("no_proxy") or variables.get("NO_PROXY") or ""
    excepted = dict.fromkeys([*filter(None, (each.strip() for each in named.split(","))), *_HERE])
    return dict.fromkeys(("no_proxy", "NO_PROXY"), ",".join(excepted))
