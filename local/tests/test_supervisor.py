"""What a supervisor takes over from one that was killed, and what keeps running when a disk is full."""

import json
import os
import subprocess
import sys
import threading
import time

import pytest

from touchstone_local import changes, control, models, platform, processes
from touchstone_local.settings import folders
from touchstone_local.supervisor import Supervisor, report_file


@pytest.fixture
def where(tmp_path, monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_STATE", str(tmp_path))
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_KAFKA_BOOTSTRAP", "127.0.0.1:1")
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", "postgresql+asyncpg://x@127.0.0.1:1/x")
    monkeypatch.setenv("TOUCHSTONE_LLM_BUDGET_USD", "50")
    return folders().create()


def _told(where):
    """What the report names as the problem of the whole."""
    return json.loads(report_file(where).read_text())["problem"] if report_file(where).exists() else ""


def outlives(where, name):
    """A process that the supervisor before started, and that its end left."""
    return processes.spawn(
        [sys.executable, "-c", "import time; time.sleep(600)"],
        log=where.logs / f"{name}.log",
        pid_file=control.process_file(where, name),
        environment={},
    )


@pytest.mark.parametrize("name", ["evaluator", "model-server", models.LATER])
def test_what_outlived_a_killed_supervisor_goes_on_until_settings_changed(where, monkeypatch, name):
    Supervisor(where, "")._end_outdated()
    assert changes.since_start(where) == []
    left = outlives(where, name)
    try:
        Supervisor(where, "")._end_outdated()
        assert left.alive()
        monkeypatch.setenv("TOUCHSTONE_LLM_BUDGET_USD", "5")
        assert changes.since_start(where) == ["TOUCHSTONE_LLM_BUDGET_USD"]
        Supervisor(where, "")._end_outdated()
        assert not left.alive() and changes.since_start(where) == []
    finally:
        processes.stop(left, timeout_s=1)


def test_a_platform_goes_on_where_models_that_come_later_cannot_be_fetched(where, monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_EMBEDDING_MODELS", '["bow-hash-512", "all-mpnet-base-v2"]')
    # No log can be written there, as on a full disk.
    (where.logs / f"{models.LATER}.log").mkdir()
    supervisor = Supervisor(where, "")
    with pytest.raises(OSError, match="later-models"):
        supervisor._begin_later()
    supervisor._services = [None]
    running = threading.Thread(target=supervisor._run_on, args=(0.01,), daemon=True)
    running.start()
    time.sleep(0.3)
    try:
        assert running.is_alive()
    finally:
        supervisor.stop()
        running.join()


def test_a_supervisor_that_cannot_write_says_so_for_as_long_as_it_is_not_stopped(where):
    # What cannot be written is the file of addresses, once the servers are there.
    where.platform_file.mkdir()
    supervisor = Supervisor(where, "")
    running = threading.Thread(target=supervisor.run, daemon=True)
    running.start()
    try:
        end = time.monotonic() + 60
        while "platform.json" not in _told(where) and time.monotonic() < end:
            assert running.is_alive()
            time.sleep(0.05)
        assert "platform.json" in _told(where)
    finally:
        supervisor.stop()
        running.join()


@pytest.mark.parametrize(
    ("asked", "given_s"), [(None, 40.0), ("300", 320.0), ("0", 20.0), ("never", 20.0), ("nan", 20.0)]
)
def test_a_service_is_given_the_time_that_its_setting_gives_what_is_in_hand(where, monkeypatch, asked, given_s):
    if asked is not None:
        monkeypatch.setenv("TOUCHSTONE_STOP_TIMEOUT_S", asked)
    told = []
    monkeypatch.setattr(processes, "stop", lambda _running, *, timeout_s: told.append(timeout_s))
    supervisor = Supervisor(where, "")
    supervisor._service(platform.services()[0]).stop(processes.ourselves())
    processes.remember(control.process_file(where, "evaluator"), processes.ourselves())
    supervisor._end([control.process_file(where, "evaluator")])
    assert told == [given_s, given_s]


def test_whoever_stops_a_platform_gives_it_the_time_that_it_was_started_with(where, monkeypatch):
    """The setting may be another one, or none, where `touchstone down` is called."""
    began = subprocess.Popen(["sleep", "1000"], env=os.environ | {"TOUCHSTONE_STOP_TIMEOUT_S": "300"})
    try:
        alive = processes.Running(began.pid, processes._birth(began.pid), ("sleep", "1000"))
        processes.remember(control.process_file(where, "evaluator"), alive)
        told = []
        monkeypatch.setattr(processes, "stop", lambda _running, *, timeout_s: told.append(timeout_s))
        control.halt(where)
        monkeypatch.setattr(control, "running", lambda _folders: alive)
        control.halt(where)
        assert told == [320.0, 380.0]
    finally:
        began.kill()
        began.wait()
    assert platform.service_stop_s(alive) == 40.0
