"""Processes are found again by what they are, not by their number alone."""

import json
import os
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from touchstone_local import processes


@pytest.fixture
def spawn(tmp_path):
    started = []

    def start(code, nice=0, session_nice=None):
        running = processes.spawn(
            [sys.executable, "-c", code],
            log=tmp_path / "logs" / "x.log",
            pid_file=tmp_path / "x.pid",
            environment={"PATH": os.defpath, "MARK": "here"},
            nice=nice,
            session_nice=session_nice,
        )
        started.append(running)
        return running

    yield start
    for running in started:
        processes.stop(running, timeout_s=0.1)


def until(condition, timeout_s=120):
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_process_is_detached_logged_and_found_again(spawn, tmp_path):
    running = spawn(
        "import os, time; print(os.getsid(0) == os.getpid(), os.environ['MARK'], flush=True); time.sleep(60)"
    )
    until(lambda: (tmp_path / "logs" / "x.log").read_text())
    assert (tmp_path / "logs" / "x.log").read_text() == "True here\n"
    assert processes.recall(tmp_path / "x.pid") == running
    assert processes.log_tail(tmp_path / "logs" / "x.log") == "True here"


def test_a_process_stands_back_behind_others_where_it_is_told_to(spawn):
    ours = os.getpriority(os.PRIO_PROCESS, 0)
    assert os.getpriority(os.PRIO_PROCESS, spawn("import time; time.sleep(60)").pid) == ours
    behind = spawn("import time; time.sleep(60)", nice=3)
    assert os.getpriority(os.PRIO_PROCESS, behind.pid) == min(19, ours + 3)


def test_a_session_stands_back_while_its_process_is_weighed_as_others_are(spawn):
    behind = spawn("import time; time.sleep(60)", session_nice=5)
    assert os.getpriority(os.PRIO_PROCESS, behind.pid) == os.getpriority(os.PRIO_PROCESS, 0)
    weighed = Path(f"/proc/{behind.pid}/autogroup")
    assert not weighed.exists() or weighed.read_text().split()[-2:] == ["nice", "5"]


def test_a_process_goes_before_others_where_the_user_may_say_so(spawn):
    ours = os.getpriority(os.PRIO_PROCESS, 0)
    before = spawn("import time; time.sleep(60)", nice=-3)
    expected = max(-20, ours - 3) if os.geteuid() == 0 else ours
    assert os.getpriority(os.PRIO_PROCESS, before.pid) == expected


def test_another_process_with_the_same_number_is_not_ours(spawn, tmp_path):
    running = spawn("import time; time.sleep(60)")
    boot, _, ticks = running.birth.partition(" ")
    for birth in (f"{boot} {int(ticks) - 1}", f"another-boot {ticks}", ""):
        processes.remember(tmp_path / "x.pid", replace(running, birth=birth))
        assert processes.recall(tmp_path / "x.pid") is None
    assert running.alive()


@pytest.mark.parametrize("step_s", [-5.0, 3.0, 86400.0])
def test_a_clock_that_is_set_changes_no_process(spawn, tmp_path, monkeypatch, step_s):
    running = spawn("import time; time.sleep(60)")
    # What the kernel tells as the time of its start follows the clock.
    began = psutil.boot_time()
    monkeypatch.setattr("psutil._pslinux.boot_time", lambda: began + step_s)
    assert abs(psutil.Process(running.pid).create_time() - time.time()) > 1.0
    assert processes.recall(tmp_path / "x.pid") == running
    processes.stop(running, timeout_s=10)
    assert not psutil.pid_exists(running.pid)


def test_what_an_older_version_remembered_is_found(spawn, tmp_path):
    running = spawn("import time; time.sleep(60)")
    began = psutil.Process(running.pid).create_time()
    for started_at, found in ((began, running), (began - 1000, None)):
        content = {"pid": running.pid, "started_at": started_at, "command": running.command}
        (tmp_path / "x.pid").write_text(json.dumps(content))
        assert processes.recall(tmp_path / "x.pid") == found


def test_a_name_that_looks_like_the_kernels_table_tells_no_other_start(spawn, tmp_path):
    program = tmp_path / "a) S 1 ("
    program.symlink_to(shutil.which("sleep") or "")
    running = processes.spawn([str(program), "60"], log=tmp_path / "l", pid_file=tmp_path / "y.pid", environment={})
    try:
        until(lambda: "a) S 1 (" in Path(f"/proc/{running.pid}/stat").read_text())
        assert processes.recall(tmp_path / "y.pid")
    finally:
        processes.stop(running, timeout_s=10)


def test_a_dead_process_is_not_running_even_before_it_is_reaped(spawn, tmp_path):
    running = spawn("pass")
    until(lambda: not running.alive())
    assert processes.recall(tmp_path / "x.pid") is None
    assert processes.reap(running.pid) == 0


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"pid": "x"}'])
def test_a_spoilt_file_remembers_nothing(tmp_path, content):
    (tmp_path / "x.pid").write_text(content)
    assert processes.recall(tmp_path / "x.pid") is None


def test_stop_is_graceful_where_the_process_is(spawn, tmp_path):
    code = "import signal,sys,time\nsignal.signal(15, lambda *_: sys.exit(0))\nprint('set', flush=True)\ntime.sleep(60)"
    running = spawn(code)
    until(lambda: (tmp_path / "logs" / "x.log").read_text())
    assert processes.stop(running, timeout_s=20)
    assert not running.alive()


def test_a_deaf_process_is_killed_with_its_children(spawn, tmp_path):
    code = (
        "import signal,subprocess,sys,time\nsignal.signal(15, signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(child.pid, flush=True)\ntime.sleep(60)"
    )
    running = spawn(code)
    until(lambda: (tmp_path / "logs" / "x.log").read_text())
    child = int((tmp_path / "logs" / "x.log").read_text())
    assert not processes.stop(running, timeout_s=0.3)
    assert not running.alive()
    until(lambda: not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE)


def test_a_huge_log_is_set_aside(spawn, tmp_path):
    log = tmp_path / "logs" / "x.log"
    log.parent.mkdir()
    with log.open("wb") as sink:
        sink.truncate(processes.LOG_LIMIT_BYTES + 1)
    spawn("pass")
    assert log.stat().st_size < 1000 and (tmp_path / "logs" / "x.log.1").exists()


def test_a_process_that_cannot_be_remembered_does_not_run_on(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(processes, "remember", full)
    mark = f"import time; time.sleep(600)  # {tmp_path}"
    with pytest.raises(OSError, match="No space left"):
        processes.spawn(
            [sys.executable, "-c", mark], log=tmp_path / "x.log", pid_file=tmp_path / "x.pid", environment={}
        )
    assert not [each for each in psutil.process_iter(["cmdline"]) if mark in (each.info["cmdline"] or [])]


def test_a_file_that_cannot_be_written_stands_as_it_was(tmp_path, monkeypatch):
    file = tmp_path / "kept.json"
    processes.write_whole(file, "old", 0o600)

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(processes.os, "fsync", full)
    # What it holds already takes no room.
    processes.write_whole(file, "old", 0o600)
    with pytest.raises(OSError, match="No space left"):
        processes.write_whole(file, "new", 0o600)
    assert file.read_text() == "old" and [each.name for each in tmp_path.iterdir()] == ["kept.json"]
    assert file.stat().st_mode & 0o077 == 0
