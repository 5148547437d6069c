"""Detached processes with log files and process-id files that survive the reuse of a process id."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from touchstone_runtime.drafts import draft_beside

LOG_LIMIT_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True)
class Running:
    """A process that we started.

    Attributes:
        pid: Its process id.
        birth: Which start of the kernel it is of, and its own in ticks since then; tells a reused id apart, whatever
            becomes of the clock.
        command: Its command line.
    """

    pid: int
    birth: str
    command: tuple[str, ...]

    def alive(self) -> bool:
        """Whether this very process still runs; a zombie does not.

        A killed program of many threads counts as running until the last of them is gone: before that its files
        and ports are still held.
        """
        try:
            process = psutil.Process(self.pid)
            if not self.birth or _birth(self.pid) != self.birth:
                return False
            return process.status() != psutil.STATUS_ZOMBIE or process.num_threads() > 1
        except psutil.Error:
            return False


def spawn(
    command: Sequence[str],
    *,
    log: Path,
    pid_file: Path | None,
    environment: Mapping[str, str],
    folder: Path | None = None,
    nice: int = 0,
    session_nice: int | None = None,
) -> Running:
    """Start a process in a session of its own, so that it outlives us and a terminal's Ctrl-C does not reach it.

    Args:
        command: Program and arguments.
        log: File that standard output and error are appended to; beyond 32 MiB it is set aside first.
        pid_file: File that remembers the process; None where it tells of itself.
        environment: The whole environment of the process.
        folder: Working folder; ours by default.
        nice: How far it stands back behind other processes, -20 to 19, beside our own; below 0 it goes before them,
            where the user may say so.
        session_nice: The same for its session, where a machine shares its processors by session first; `nice` if None.

    Returns:
        The process.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    if log.exists() and log.stat().st_size > LOG_LIMIT_BYTES:
        log.replace(log.with_suffix(log.suffix + ".1"))
    with log.open("ab") as sink:
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            cwd=folder,
            start_new_session=True,
        )
    if nice or session_nice:
        _weigh(process.pid, nice, nice if session_nice is None else session_nice)
    running = Running(process.pid, _birth(process.pid), tuple(command))
    if pid_file is None:
        return running
    try:
        pid_file.parent.mkdir(parents=True, exist_ok=True)
        remember(pid_file, running)
    except OSError:
        # On a full disk each try would leave one more that nobody knows of.
        process.kill()
        process.wait()
        raise
    return running


def ourselves() -> Running:
    """This very process."""
    return Running(os.getpid(), _birth(os.getpid()), tuple(psutil.Process().cmdline()))


def _birth(pid: int) -> str:
    """When a process began, as no clock tells it; empty where there is none of this number."""
    try:
        # The name of its program stands before, in brackets, and may hold anything.
        ticks = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19].decode()
        return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()} {ticks}"
    except (OSError, IndexError):
        return ""


def _weigh(pid: int, nice: int, session_nice: int) -> None:
    """Change a process's share of the processors; where that is not possible it runs as others do."""
    with suppress(OSError):
        wanted = os.getpriority(os.PRIO_PROCESS, 0) + nice
        os.setpriority(os.PRIO_PROCESS, pid, max(-20, min(19, wanted)))
    # Desktops share by session first: there the number above counts within the session only, and the other one between.
    with suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text(f"{session_nice}\n")


def remember(pid_file: Path, running: Running) -> None:
    """Write the process-id file in one step."""
    pid_file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(pid_file, json.dumps(asdict(running)))


def write_whole(path: Path, text: str, mode: int = 0o644) -> None:
    """Write a file in one step, for what cannot be told again: on a full disk, or after a crash, the old one stands.

    Args:
        path: The file; its folder is there.
        text: What it holds; nothing is written where it holds that already.
        mode: Who may read it.

    Raises:
        OSError: the disk is full or refuses.
    """
    try:
        if path.read_text("utf-8") == text:
            return
    except (OSError, UnicodeDecodeError):
        pass
    with draft_beside(path, mode) as draft:
        draft.write_text(text, "utf-8")


def recall(pid_file: Path) -> Running | None:
    """The process that the file remembers, if it still runs."""
    try:
        content = json.loads(pid_file.read_text())
        pid = int(content["pid"])
        birth = str(content["birth"]) if "birth" in content else _birth_at(pid, float(content["started_at"]))
        running = Running(pid, birth, tuple(content["command"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return running if running.alive() else None


def _birth_at(pid: int, started_at: float) -> str:
    """For files of older versions: the birth of the process that began at this time of the clock."""
    try:
        return _birth(pid) if abs(psutil.Process(pid).create_time() - started_at) < 1.0 else ""
    except psutil.Error:
        return ""


def environment_of(running: Running) -> dict[str, str]:
    """What a process was started with; nothing where it is gone, or does not show it."""
    with suppress(psutil.Error):
        if running.alive():
            return psutil.Process(running.pid).environ()
    return {}


def reap(pid: int) -> int | None:
    """Collect the exit status of a child of ours without waiting; None while it runs or when it is not our child."""
    with suppress(ChildProcessError):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done == pid:
            return os.waitstatus_to_exitcode(status)
    return None


def stop(running: Running, *, timeout_s: float = 20.0) -> bool:
    """Ask a process to end with SIGTERM; after the timeout kill it and its descendants.

    Returns:
        True when it ended by itself within the timeout.
    """
    if not running.alive():
        reap(running.pid)
        return True
    try:
        process = psutil.Process(running.pid)
        descendants = process.children(recursive=True)
        process.send_signal(signal.SIGTERM)
    except psutil.Error:
        return True
    end = time.monotonic() + timeout_s
    while time.monotonic() < end:
        if not running.alive():
            # It has ended by now, where a look before this one would have come too early.
            reap(running.pid)
            _kill([child for child in descendants if child.is_running()])
            return True
        time.sleep(0.05)
    with suppress(psutil.Error):
        descendants = process.children(recursive=True) or descendants
    _kill([process, *descendants])
    reap(running.pid)
    return False


def _kill(processes: Sequence[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(list(processes), timeout=5)


def log_tail(log: Path, lines: int = 20) -> str:
    """The last lines of a log, for error messages."""
    try:
        with log.open("rb") as source:
            source.seek(0, os.SEEK_END)
            source.seek(max(0, source.tell() - 16_384))
            text = source.read().decode("utf-8", "replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])
