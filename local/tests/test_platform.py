"""Addresses stay where they were; services get settings that fit them."""

import asyncio
import contextlib
import http.server
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import psutil
import pytest

from touchstone_local import (
    changes,
    control,
    doctor,
    model_server,
    models,
    platform,
    ports,
    processes,
    settings,
    weaviate,
)
from touchstone_local.errors import LocalError
from touchstone_local.platform import Listening, Platform
from touchstone_local.supervisor import Supervisor, claim


def test_addresses_are_kept_and_a_taken_port_is_replaced(folders):
    chosen = platform.choose_addresses(folders)
    chosen.write(folders.platform_file)
    assert folders.platform_file.stat().st_mode & 0o077 == 0
    again = platform.choose_addresses(folders)
    assert again.services == chosen.services
    port = int(chosen.services["embedder"].grpc.rpartition(":")[2])
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(("127.0.0.1", port))
        server.listen()
        moved = platform.choose_addresses(folders)
        held = platform.choose_addresses(folders, {"embedder": True})
    assert moved.services["embedder"] != chosen.services["embedder"]
    assert moved.services["ingester"] == chosen.services["ingester"]
    assert held.services["embedder"] == chosen.services["embedder"]
    every = [entry for listening in moved.services.values() for entry in (listening.grpc, listening.http)]
    assert len(set(every)) == len(every) == 2 * len(platform.services())


def test_demanded_ports_that_are_taken_are_an_error(folders, monkeypatch):
    (base,) = ports.free_ports(1)
    monkeypatch.setenv("TOUCHSTONE_PORT_BASE", str(base))
    with socket.socket() as server:
        server.bind(("127.0.0.1", base))
        server.listen()
        with pytest.raises(LocalError, match=rf"ingester: port {base} is held by .*TOUCHSTONE_PORT_BASE"):
            platform.choose_addresses(folders)


def test_a_proxy_for_fetching_is_not_asked_for_this_machine(folders, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "grpc_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    running = Platform("k:1", "d", "", "", {service.name: Listening("a:1", "a:2") for service in platform.services()})
    service = platform.services()[0]
    assert "no_proxy" not in platform.settings_of(service, running, folders)
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    assert platform.settings_of(service, running, folders)["no_proxy"] == "127.0.0.1,localhost,::1"
    monkeypatch.setenv("no_proxy", "localhost, .example")
    settings_then = platform.settings_of(service, running, folders)
    assert settings_then["no_proxy"] == settings_then["NO_PROXY"] == "localhost,.example,127.0.0.1,::1"
    # What is asked here by ourselves goes past it, too.
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy")
    with answering_200() as port:
        assert weaviate.ready(port) and model_server.ready(port)


@contextlib.contextmanager
def answering_200():
    class Fine(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Fine) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join(60)


def test_a_service_gets_every_address_and_its_own_settings(folders, monkeypatch):
    listening = {
        service.name: Listening(f"127.0.0.1:{n}", f"127.0.0.1:{n + 50}")
        for n, service in enumerate(platform.services(), 9000)
    }
    running = Platform("k:1", "postgresql+asyncpg://d", "http://m/v1", "small", listening)
    services = {service.name: service for service in platform.services()}
    settings = platform.settings_of(services["evaluator"], running, folders)
    assert settings["TOUCHSTONE_KAFKA_BOOTSTRAP"] == "k:1"
    assert settings["TOUCHSTONE_GRPC_LISTEN"] == listening["evaluator"].grpc
    assert settings["TOUCHSTONE_HTTP_LISTEN"] == listening["evaluator"].http
    assert settings["TOUCHSTONE_SANDBOX_ADDRESS"] == listening["sandbox-executor"].grpc
    assert settings["TOUCHSTONE_LLM_MODEL"] == "small"
    assert settings["TOUCHSTONE_MODELS_DIR"] == str(folders.models)
    trusted = "TOUCHSTONE_ANNOTATOR_TRUSTED"
    assert platform.settings_of(services["annotator"], running, folders)[trusted] == "non_matches"
    monkeypatch.setenv(trusted, "none")
    assert platform.settings_of(services["annotator"], running, folders)[trusted] == "none"
    monkeypatch.delenv(trusted)
    # Where the platform has a server of its own, each service gets its own role, and who stores nothing gets none.
    assert settings["TOUCHSTONE_DATABASE_URL"] == "postgresql+asyncpg://d"
    running.databases = {"evaluator": "postgresql+asyncpg://evaluator"}
    given = {name: platform.settings_of(services[name], running, folders) for name in ("evaluator", "web")}
    assert given["evaluator"]["TOUCHSTONE_DATABASE_URL"] == "postgresql+asyncpg://evaluator"
    assert given["web"]["TOUCHSTONE_DATABASE_URL"] == ""
    # Who runs foreign code holds no key of a model.
    monkeypatch.setenv("TOUCHSTONE_LLM_API_KEY", "secret")
    monkeypatch.setenv("TOUCHSTONE_LLM_API_KEYS", "{}")
    holders = {name for name in services if "secret" in platform.settings_of(services[name], running, folders).values()}
    assert holders == set(services) - {"sandbox-executor", "web"}
    assert not set(platform.MODEL_KEYS) & platform.settings_of(services["sandbox-executor"], running, folders).keys()
    # What helps the small model is not for one that the user names.
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://m/v1")
    assert trusted not in platform.settings_of(services["annotator"], running, folders)


def test_settings_of_every_service_are_understood_by_the_services(folders):
    from touchstone_runtime.settings import ServiceSettings

    running = platform.choose_addresses(folders)
    running.kafka, running.database = "k:1", "postgresql+asyncpg://d"
    known = {f"TOUCHSTONE_{name.upper()}" for name in ServiceSettings.model_fields}
    for service in platform.services():
        given = {name for name in platform.settings_of(service, running, folders) if name.startswith("TOUCHSTONE_")}
        assert service.stores is (service.name != "web")
        own = {
            "TOUCHSTONE_CONVERTED_MODELS_DIR",
            "TOUCHSTONE_ECJ_JAR",
            "TOUCHSTONE_TOOLCHAINS_DIR",
            *service.environment,
            *service.with_small_model,
        }
        assert given - known - set(os.environ) <= own
        assert f"TOUCHSTONE_{service.address.upper()}" in known


@pytest.mark.parametrize(
    "content", ["", "[]", '{"services": 3}', '{"services": {"a": {}}}', '{"services": {}, "x": 1}']
)
def test_a_spoilt_record_is_no_record(folders, content):
    folders.platform_file.write_text(content)
    assert platform.read(folders) is None


def test_one_supervisor_a_folder(folders):
    with claim(folders), pytest.raises(LocalError, match="another supervisor"):
        claim(folders)


def test_nothing_runs_at_first(folders):
    rows = control.status(folders)
    assert {row.state for row in rows} == {"stopped"}
    assert [row.name for row in rows][:4] == ["supervisor", "kafka", "postgres", "model-server"]
    assert control.halt(folders) == []


def test_a_supervisor_without_broker_tells_its_problem_and_ends_when_told(folders, monkeypatch):
    # A file where Kafka's folder should be: the broker cannot start, the supervisor must say so and stay stoppable.
    (folders.state / "kafka").write_text("")
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", "postgresql+asyncpg://elsewhere")
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://elsewhere/v1")
    process = control.launch(folders)
    try:
        assert control.running(folders) == process
        deadline = 4000
        while control.status(folders)[1].state != "failing" and deadline:
            deadline -= 1
            ports.wait_until_open(1, 0.05)
        row = control.status(folders)[1]
        assert (row.name, row.state) == ("kafka", "failing") and "kafka" in row.detail
        assert control.launch(folders) == process
    finally:
        control.halt(folders)
    assert control.running(folders) is None


def test_models_that_come_later_are_fetched_by_a_process_that_ends_with_the_platform(folders, monkeypatch):
    folders.create()
    monkeypatch.setenv("TOUCHSTONE_EMBEDDING_MODELS", '["bow-hash-512"]')
    one = Supervisor(folders, "")
    one._begin_later()
    assert processes.recall(control.process_file(folders, models.LATER)) is None
    monkeypatch.setenv("TOUCHSTONE_EMBEDDING_MODELS", '["bow-hash-512", "all-mpnet-base-v2"]')
    one._begin_later()
    fetching = processes.recall(control.process_file(folders, models.LATER))
    one._begin_later()
    assert fetching is not None and processes.recall(control.process_file(folders, models.LATER)) == fetching
    assert control.halt(folders) == [models.LATER] and not fetching.alive()


def test_a_model_that_is_deleted_while_the_platform_runs_is_fetched_again(folders, monkeypatch):
    folders.create()
    monkeypatch.setenv("TOUCHSTONE_EMBEDDING_MODELS", '["bow-hash-512", "all-mpnet-base-v2"]')
    missing = []
    monkeypatch.setattr(models, "awaited_later", lambda _folder: missing)
    one = Supervisor(folders, "")
    one._services = [None]
    running = threading.Thread(target=one._run_on, args=(0.01,))
    running.start()
    try:
        assert processes.recall(one._later) is None
        missing.append(models.catalogue()["all-mpnet-base-v2"])
        fetching = _recalled(one._later)
        # Who fetches was killed: it is begun anew.
        os.kill(fetching.pid, signal.SIGKILL)
        assert _recalled(one._later, but=fetching) != fetching
    finally:
        one.stop()
        running.join()
        control.halt(folders)


def _recalled(pid_file, but=None):
    """The process of the file, once it is another one."""
    for _ in range(400):
        if (found := processes.recall(pid_file)) not in (None, but):
            return found
        time.sleep(0.05)
    raise AssertionError(f"no process of {pid_file}")


def test_downloads_are_listed_with_sizes_before_anything_is_fetched(folders, monkeypatch):
    listed = control.downloads(folders)
    assert [item.name.partition(",")[0] for item in listed][:2] == ["Apache Kafka 4.1", "Java compiler (ecj)"]
    assert sum(item.size_bytes for item in listed) > 500_000_000
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://elsewhere/v1")
    assert not any("chat" in item.name for item in control.downloads(folders))
    monkeypatch.delenv("TOUCHSTONE_LLM_BASE_URL")
    monkeypatch.setenv("TOUCHSTONE_CHAT_MODEL", "none")
    assert not any("chat" in item.name for item in control.downloads(folders))
    monkeypatch.setenv("TOUCHSTONE_CHAT_MODEL", "llama")
    with pytest.raises(LocalError, match="no chat model"):
        control.downloads(folders)


def test_the_doctor_finds_the_runtimes_and_names_what_is_missing(folders, monkeypatch):
    found = {check.name: check for check in doctor.examine(folders)}
    assert found["Java"].state == found["PostgreSQL"].state == found["Node"].state == doctor.OK
    assert found["chat model"].state == doctor.WARNING and "touchstone up" in found["chat model"].way_out
    assert all(check.way_out for check in found.values() if check.state != doctor.OK)
    monkeypatch.setenv("TOUCHSTONE_JAVA_HOME", "/nonexistent")
    broken = {check.name: check for check in doctor.examine(folders)}
    assert broken["TOUCHSTONE_JAVA_HOME=/nonexistent"].state == doctor.PROBLEM


def test_the_doctor_looks_at_the_ports_that_a_start_takes(folders, monkeypatch):
    def found(name):
        return next(check for check in doctor.examine(folders) if check.name == name)

    base = 20000
    with socket.socket() as held:
        while True:
            base += 211
            try:
                held.bind(("127.0.0.1", base + 100))
                break
            except OSError:
                continue
        held.listen()
        monkeypatch.setenv("TOUCHSTONE_PORT_BASE", str(base))
        first = platform.services()[0].name
        check = found(f"ports of {first}")
        assert check.state == doctor.PROBLEM and str(base + 100) in check.detail and "PORT_BASE" in check.way_out
        with pytest.raises(LocalError, match=str(base + 100)):
            platform.choose_addresses(folders)


def test_a_model_that_no_service_would_know_is_told_before_anything_starts(folders, monkeypatch):
    def told():
        return {check.name: check.state for check in doctor.examine(folders)}

    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "my-model")
    assert told()["TOUCHSTONE_LLM_MODEL"] == doctor.PROBLEM
    with pytest.raises(LocalError, match="no model is called 'my-model'"):
        control.downloads(folders)
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://127.0.0.1:9/v1")
    assert told()["model of agents"] == doctor.OK
    control.demand_model("my-model")
    with pytest.raises(LocalError, match="no model is called 'qwen'"):
        control.demand_model("qwen")


def test_external_endpoints_replace_local_parts(folders, monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_KAFKA_BOOTSTRAP", "broker:9092")
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", "postgresql+asyncpg://elsewhere")
    supervisor = Supervisor(folders, "")
    supervisor.stop()
    supervisor.run()
    assert (supervisor.platform.kafka, supervisor.platform.database) == (
        "broker:9092",
        "postgresql+asyncpg://elsewhere",
    )
    assert supervisor.platform.model == ""


def test_a_weaviate_of_our_own_is_brought_only_where_codes_are_indexed_there(folders, monkeypatch):
    assert not platform.own_weaviate()
    monkeypatch.setenv("TOUCHSTONE_CODE_INDEX", "weaviate")
    assert platform.own_weaviate()
    (retriever,) = [service for service in platform.services() if service.name == "retriever"]
    running = Platform(services=platform.choose_addresses(folders).services, weaviate="w:1", weaviate_grpc="w:2")
    given = platform.settings_of(retriever, running, folders)
    assert (given["TOUCHSTONE_WEAVIATE_HTTP"], given["TOUCHSTONE_WEAVIATE_GRPC"]) == ("w:1", "w:2")
    monkeypatch.setenv("TOUCHSTONE_WEAVIATE_HTTP", "elsewhere:8080")
    assert not platform.own_weaviate()


def test_a_weaviate_that_was_never_built_is_said_with_the_way_out(folders, monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_CODE_INDEX", "weaviate")
    monkeypatch.setenv("TOUCHSTONE_KAFKA_BOOTSTRAP", "broker:9092")
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", "postgresql+asyncpg://elsewhere")
    monkeypatch.setattr(weaviate, "find", lambda cache: None)
    supervisor = Supervisor(folders, "")
    thread = threading.Thread(target=supervisor.run)
    thread.start()
    try:
        report = {}
        while report.get("state") != "failing":
            ports.wait_until_open(1, 0.05)
            with contextlib.suppress(OSError, ValueError):
                content = json.loads((folders.state / "supervisor.json").read_text())
                report = content["processes"].get("weaviate", {})
    finally:
        supervisor.stop()
        thread.join()
    assert "make tools TOOLS=weaviate" in report["detail"]


def test_a_command_means_the_platform_of_its_own_checkout_wherever_it_is_called(tmp_path, monkeypatch):
    other = tmp_path / "other"
    (other / "proto" / "touchstone").mkdir(parents=True)
    (other / "requirements.lock").write_text("")
    monkeypatch.delenv("TOUCHSTONE_STATE", raising=False)
    here = settings.folders()
    monkeypatch.chdir(other)
    assert settings.folders() == here
    assert not here.state.is_relative_to(other)


def test_what_changed_since_the_start_is_named_and_no_secret_is_kept(tmp_path, monkeypatch):
    where = settings.Folders(tmp_path / "state", tmp_path / "cache").create()
    monkeypatch.setenv("TOUCHSTONE_LLM_API_KEY", "very-secret")
    monkeypatch.setenv("TOUCHSTONE_EVALUATOR_WORKERS", "2")
    assert changes.since_start(where) == []
    changes.record(where)
    assert "very-secret" not in (where.state / "started.json").read_text()
    assert changes.since_start(where) == []
    monkeypatch.setenv("TOUCHSTONE_EVALUATOR_WORKERS", "3")
    monkeypatch.delenv("TOUCHSTONE_LLM_API_KEY")
    assert changes.since_start(where) == ["TOUCHSTONE_EVALUATOR_WORKERS", "TOUCHSTONE_LLM_API_KEY"]
    monkeypatch.setattr(changes, "_code", lambda: "another")
    assert changes.since_start(where)[-1] == "the code"


CHOOSER = """
import json, sys
from pathlib import Path
from touchstone_local import platform, settings
chosen = platform.choose_addresses(settings.Folders(Path(sys.argv[1]), Path(sys.argv[1])).create())
print(json.dumps([[entry.grpc, entry.http] for entry in chosen.services.values()]), flush=True)
sys.stdin.read()
"""


def test_two_platforms_that_start_at_the_same_moment_choose_different_ports(tmp_path):
    lines = [[sys.executable, "-c", CHOOSER, str(tmp_path / name)] for name in ("one", "two")]
    choosers = [subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for line in lines]
    try:
        # Nobody listens on anything yet.
        first, second = (
            {address for pair in json.loads(each.stdout.readline()) for address in pair} for each in choosers
        )
    finally:
        for each in choosers:
            each.communicate()
    assert len(first) == len(second) == 2 * len(platform.services())
    assert not first & second


def test_two_platforms_beside_one_another_share_no_port(tmp_path):
    first = settings.Folders(tmp_path / "one", tmp_path / "cache").create()
    second = settings.Folders(tmp_path / "two", tmp_path / "cache").create()
    chosen = platform.choose_addresses(first)
    taken = []
    for entry in chosen.services.values():
        for address in (entry.grpc, entry.http):
            listener = socket.socket()
            taken.append(listener)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            # Somebody else on this machine may hold it by now: it is taken either way.
            with contextlib.suppress(OSError):
                listener.bind(("127.0.0.1", int(address.rpartition(":")[2])))
                listener.listen()
    try:
        others = platform.choose_addresses(second)
    finally:
        for listener in taken:
            listener.close()

    def addresses(of):
        return {address for entry in of.services.values() for address in (entry.grpc, entry.http)}

    assert not addresses(chosen) & addresses(others)


async def test_two_that_start_at_the_same_moment_are_one_platform(folders, monkeypatch):
    (folders.state / "kafka").write_text("")
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", "postgresql+asyncpg://elsewhere")
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://elsewhere/v1")
    try:
        one, other = await asyncio.gather(*(asyncio.to_thread(control.launch, folders) for _ in range(2)))
        assert one == other == control.running(folders)
        # One that comes too late for the lock would start the platform once more when the other one was stopped.
        assert _supervisors(folders) == [one.pid]
    finally:
        control.halt(folders)
    assert not one.alive() and control.running(folders) is None


def test_a_platform_whose_folder_was_deleted_ends(folders, monkeypatch):
    (folders.state / "kafka").write_text("")
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", "postgresql+asyncpg://elsewhere")
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://elsewhere/v1")
    one = control.launch(folders)
    try:
        # At once, for the supervisor writes there meanwhile.
        shutil.rmtree(folders.state.rename(folders.state.with_name("deleted")))
        end = time.monotonic() + 120
        while one.alive():
            assert time.monotonic() < end
            processes.reap(one.pid)
            time.sleep(0.05)
    finally:
        processes.stop(one, timeout_s=20)


def _supervisors(folders):
    """Processes that supervise this state folder."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get("TOUCHSTONE_STATE") == str(folders.state):
                found.append(process.pid)
    return found


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("services/sandbox-executor/src/sandbox_executor/harness/java/touchstone/Main.java", True),
        ("services/sandbox-executor/src/sandbox_executor/harness/go/build/main.go", True),
        ("services/sandbox-executor/src/sandbox_executor/harness/typescript/ambient.d.ts", True),
        ("services/ingester/src/ingester/resources/library_names.json", True),
        ("clients/web/src/touchstone_web/static/live.js", True),
        ("local/src/touchstone_local/role.sql", True),
        ("services/ingester/src/ingester/__pycache__/app.cpython-311.pyc", False),
        ("services/ingester/src/touchstone_ingester.egg-info/PKG-INFO", False),
        ("services/ingester/src/ingester/.app.py.swp", False),
        ("services/ingester/tests/test_app.py", False),
    ],
)
def test_the_code_is_all_that_processes_run(tmp_path, monkeypatch, name, counts):
    # A checkout in a hidden folder is one.
    root, where = tmp_path / ".work" / "checkout", settings.Folders(tmp_path / "state", tmp_path / "cache").create()
    monkeypatch.setattr(changes, "checkout", lambda: root)
    file = root / name
    file.parent.mkdir(parents=True)
    file.write_text("1")
    changes.record(where)
    assert changes.since_start(where) == []
    file.write_text("11")
    assert changes.since_start(where) == (["the code"] if counts else [])
