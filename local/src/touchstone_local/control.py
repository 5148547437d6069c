"""What `touchstone up`, `down` and `status` do: downloads, the supervisor's start and end, and its report."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from touchstone_local import changes, jars, kafka, models, platform, postgres, processes, supervisor, weaviate
from touchstone_local.download import Progress
from touchstone_local.errors import LocalError
from touchstone_local.processes import Running
from touchstone_local.settings import Folders, environment, setting

NO_MODEL = "none"
# What the services stand on, in the order in which it is shown; a platform has those that it was told to bring.
SERVERS = ("kafka", "postgres", "model-server", "weaviate")


@dataclass(frozen=True)
class Download:
    """Something that is not here yet.

    Attributes:
        name: What it is, for people.
        size_bytes: What has to be downloaded.
        fetch: Gets it; takes the function that is told about progress.
    """

    name: str
    size_bytes: int
    fetch: Callable[[Callable[[Progress], None]], object]


@dataclass(frozen=True)
class ProcessStatus:
    """One process as the supervisor, or the process table, sees it.

    Attributes:
        name: Its name in the process list.
        state: "starting", "running", "restarting", "failing" or "stopped".
        pid: Process id, 0 where there is none.
        restarts: How often it was started again.
        detail: Why it is not running, or why it last ended.
        address: Where it listens.
        log: Its log file.
    """

    name: str
    state: str
    pid: int
    restarts: int
    detail: str
    address: str
    log: Path


def demand_model(name: str = "") -> None:
    """See that services will know a model by its name; empty is `TOUCHSTONE_LLM_MODEL`, and fine where that is empty.

    Raises:
        LocalError: neither the catalogue of models nor the endpoint that is named has it.
    """
    # Loaded here: most commands ask about no model.
    from touchstone_runtime.errors import TouchstoneError
    from touchstone_runtime.llm.catalogue import Catalogue

    own = platform.external("llm_model")
    if not (name or own):
        return
    try:
        Catalogue.load(platform.models_file(), platform.external("llm_base_url"), own).resolve(name or own)
    except TouchstoneError as error:
        thing = "" if name else "TOUCHSTONE_LLM_MODEL"
        way_out = "" if name else "name one of them, or name its endpoint too, by TOUCHSTONE_LLM_BASE_URL"
        raise LocalError(error.message, thing=thing, way_out=way_out or error.way_out) from error


def chat_model() -> str:
    """The chat model to serve: `TOUCHSTONE_CHAT_MODEL`, else the default; empty where an endpoint is named instead.

    Raises:
        LocalError: the setting names a model that cannot be served.
    """
    if platform.external("llm_base_url"):
        return ""
    known = models.catalogue()
    name = setting("TOUCHSTONE_CHAT_MODEL")
    if name == NO_MODEL:
        return ""
    if not name:
        return next(model.name for model in known.values() if model.kind == "chat" and model.default)
    if name not in known or known[name].kind != "chat":
        chat = [model.name for model in known.values() if model.kind == "chat"]
        raise LocalError("is no chat model", thing=f"TOUCHSTONE_CHAT_MODEL={name}", way_out=f"name one of {chat}")
    return name


def wanted_models() -> list[models.Model]:
    """What a start waits for: the chat model in force, and the first of the embedding models.

    Raises:
        LocalError: the setting of the embedding models is no JSON array of names, or no service would know the model
            of the agents.
    """
    demand_model()
    known = models.catalogue()
    chat = chat_model()
    # Names that the catalogue does not have are folders that somebody put there, or need none.
    return [known[name] for name in ([chat] if chat else []) + models.embedding()[:1] if name in known]


def downloads(folders: Folders) -> list[Download]:
    """What must be fetched before the platform can start, with sizes; empty when all is here."""
    wanted: list[Download] = []
    if not platform.external("kafka_bootstrap"):
        wanted += _jar_download("kafka", "Apache Kafka 4.1", folders)
    wanted += _jar_download("ecj", "Java compiler (ecj)", folders)
    for model in wanted_models():
        if not models.present(model, folders.models):
            wanted.append(
                Download(
                    f"{model.kind} model {model.name}",
                    model.download_bytes,
                    lambda report, model=model: models.ensure(model, folders, report=report),
                )
            )
    return wanted


def _jar_download(group: str, name: str, folders: Folders) -> list[Download]:
    absent = jars.missing(group, folders.cache)
    if not absent:
        return []
    size = sum(jar.size_bytes for jar in absent)
    return [
        Download(
            f"{name}, {len(absent)} jars", size, lambda report: jars.ensure(group, cache=folders.cache, report=report)
        )
    ]


def outdated(folders: Folders) -> list[str]:
    """What a running platform does not know yet: changed settings by name, and "the code"."""
    return changes.since_start(folders) if running(folders) is not None else []


def running(folders: Folders) -> Running | None:
    """The supervisor's process, if it runs."""
    return processes.recall(supervisor.pid_file(folders))


def launch(folders: Folders) -> Running:
    """Start the supervisor unless it runs; returns as soon as it reports.

    Raises:
        LocalError: it ends at once.
    """
    found = running(folders)
    if found is not None:
        return found
    folders.create()
    supervisor.report_file(folders).unlink(missing_ok=True)
    log = folders.logs / "supervisor.log"
    process = processes.spawn(
        [sys.executable, "-m", "touchstone_local.supervisor", chat_model()],
        log=log,
        pid_file=None,
        environment=environment() | {"TOUCHSTONE_STATE": str(folders.state), "TOUCHSTONE_CACHE": str(folders.cache)},
    )
    end = time.monotonic() + 30
    while time.monotonic() < end:
        # Another one that was started at the same moment does as well.
        found = running(folders)
        if found is not None and supervisor.report_file(folders).exists():
            if found.pid != process.pid:
                # Ours would take over, should it come to look for the lock only when the other one was stopped.
                processes.stop(process, timeout_s=5)
            return found
        processes.reap(process.pid)
        if not process.alive() and found is None:
            break
        time.sleep(0.05)
    raise LocalError(f"does not start: {processes.log_tail(log, 3)}", thing="the supervisor", way_out=f"see {log}")


def status(folders: Folders) -> list[ProcessStatus]:
    """Every process of the platform, the supervisor first."""
    alive = running(folders)
    log = folders.logs / "supervisor.log"
    problem, reports = _reports(folders) if alive else ("", {})
    rows = [
        ProcessStatus("supervisor", "running" if alive else "stopped", alive.pid if alive else 0, 0, problem, "", log)
    ]
    addresses = platform.read(folders) or platform.Platform()
    listening = {name: entry.grpc for name, entry in addresses.services.items()}
    if "web" in addresses.services:
        # Its gRPC answers health probes only; what people want of it are its pages.
        listening["web"] = f"http://{addresses.services['web'].http}"
    listening |= {
        "kafka": addresses.kafka,
        "postgres": addresses.database.rpartition("@")[2],
        "model-server": addresses.model,
        "weaviate": addresses.weaviate,
    }
    for name in (*SERVERS, *(service.name for service in platform.services())):
        remembered = processes.recall(process_file(folders, name))
        report = reports.get(name, {})
        if not alive:
            if name == "weaviate" and not remembered:
                continue
            state = "running" if remembered else "stopped"
        elif report:
            state = str(report["state"])
        elif name in SERVERS:
            continue
        else:
            state = "stopped" if problem else "starting"
        rows.append(
            ProcessStatus(
                name,
                state,
                remembered.pid if remembered else 0,
                int(report.get("restarts", 0)),
                str(report.get("detail", "")),
                listening.get(name, ""),
                folders.logs / f"{name}.log",
            )
        )
    return rows


def _reports(folders: Folders) -> tuple[str, dict[str, dict[str, Any]]]:
    try:
        content = json.loads(supervisor.report_file(folders).read_text())
        return content["problem"], content["processes"]
    except (OSError, ValueError, KeyError):
        return "", {}


def process_file(folders: Folders, name: str) -> Path:
    """Where the process of this name is remembered."""
    if name == "kafka":
        return kafka.pid_file(folders.state / "kafka")
    if name == "postgres":
        return postgres.pid_file(folders.state / "postgres")
    if name == "weaviate":
        return weaviate.pid_file(folders.state / "weaviate")
    return folders.pids / f"{name}.pid"


def halt(folders: Folders) -> list[str]:
    """Stop everything: through the supervisor where it runs, by the remembered processes where it does not.

    Returns:
        Names of the processes that had to be stopped without the supervisor.
    """
    alive = running(folders)
    if alive is not None:
        # Its services side by side, and then its servers.
        processes.stop(alive, timeout_s=platform.service_stop_s(alive) + 2 * supervisor.SERVER_STOP_S)
    supervisor.pid_file(folders).unlink(missing_ok=True)
    left: list[str] = []
    for name in (*reversed([service.name for service in platform.services()]), *reversed(SERVERS), models.LATER):
        remembered = process_file(folders, name)
        process = processes.recall(remembered)
        if process is None:
            continue
        left.append(name)
        if name == "postgres":
            postgres.PostgresServer(folders.state / "postgres", 0, "", process).stop()
        else:
            processes.stop(process, timeout_s=platform.service_stop_s(process))
        remembered.unlink(missing_ok=True)
    return left
