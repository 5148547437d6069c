"""A keeper starts again what ended, and waits longer each time."""

import os
import signal
import sys
import time

import pytest

from touchstone_local import processes
from touchstone_local.errors import LocalError
from touchstone_local.keeper import Keeper, Part


class Machine:
    """Starts real processes for a keeper."""

    def __init__(self, folder, code):
        self.folder, self.code = folder, code
        self.starts = []
        self.faults = []
        self.is_ready = True
        self.looks = 0

    def start(self):
        self.starts.append(time.monotonic())
        if self.faults:
            raise self.faults.pop(0)
        return processes.spawn(
            [sys.executable, "-c", self.code],
            log=self.folder / "x.log",
            pid_file=self.folder / "x.pid",
            environment={},
        )

    def ready(self):
        self.looks += 1
        return self.is_ready

    def part(self):
        return Part(
            "x",
            self.start,
            self.ready,
            lambda running: processes.stop(running, timeout_s=1.0) and None,
            lambda: "the last line",
        )


@pytest.fixture
def keep(tmp_path):
    keepers = []

    def begin(code="import time; time.sleep(600)", faults=(), ready=True):
        machine = Machine(tmp_path, code)
        machine.faults = list(faults)
        machine.is_ready = ready
        changes = []
        keeper = Keeper(machine.part(), lambda: changes.append(keeper.report.state), first_pause_s=0.05)
        keepers.append(keeper)
        keeper.begin()
        return keeper, machine, changes

    yield begin
    for keeper in keepers:
        keeper.finish()


def until(condition, timeout_s=120):
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_killed_process_is_started_again(keep):
    keeper, machine, changes = keep()
    assert keeper.wait_ready(120)
    first = keeper.report.pid
    os.kill(first, signal.SIGKILL)
    until(lambda: keeper.report.state == "running" and keeper.report.pid != first)
    assert keeper.report.restarts == 1
    assert keeper.report.detail == "ended by signal 9: the last line"
    assert changes[:2] == ["starting", "starting"] and "restarting" in changes
    assert len(machine.starts) == 2


def test_pauses_grow_while_it_keeps_ending(keep):
    keeper, machine, _ = keep("raise SystemExit(3)")
    until(lambda: len(machine.starts) >= 5)
    keeper.finish()
    pauses = [later - earlier for earlier, later in zip(machine.starts, machine.starts[1:], strict=False)]
    assert all(pause >= 0.05 * 2**number for number, pause in enumerate(pauses[:4]))
    assert keeper.report.detail == "ended with exit code 3: the last line"


def test_a_start_that_fails_is_told_and_tried_again(keep):
    fault = LocalError("is in use", thing="port 1", way_out="free it")
    keeper, machine, changes = keep(faults=[fault])
    assert keeper.wait_ready(120)
    assert "failing" in changes and len(machine.starts) == 2


def test_finish_stops_the_process(keep):
    keeper, _, _ = keep()
    assert keeper.wait_ready(120)
    pid = keeper.report.pid
    keeper.finish()
    assert keeper.report.state == "stopped"
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_not_ready_is_starting(keep):
    keeper, machine, _ = keep(ready=False)
    until(lambda: machine.looks >= 2)
    assert keeper.report.state == "starting" and not keeper.wait_ready(0)
    machine.is_ready = True
    assert keeper.wait_ready(120)
    until(lambda: keeper.report.state == "running")


@pytest.mark.parametrize("fault", [KeyError("port"), ValueError("no JSON"), OSError(28, "No space left on device")])
def test_whatever_a_start_meets_is_told_and_tried_again(keep, fault):
    keeper, machine, changes = keep(faults=[fault])
    assert keeper.wait_ready(120)
    assert "failing" in changes and len(machine.starts) == 2


def test_a_report_that_cannot_be_written_ends_no_keeper(keep):
    keeper, machine, _ = keep()
    assert keeper.wait_ready(120)

    def full():
        raise OSError(28, "No space left on device")

    keeper._changed = full
    os.kill(keeper.report.pid, signal.SIGKILL)
    until(lambda: len(machine.starts) == 2 and keeper.report.state == "running")
