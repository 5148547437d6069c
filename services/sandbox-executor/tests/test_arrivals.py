"""What the kernel tells about when something came, and what is made of it."""

import os
import socket
import time

import pytest

from sandbox_executor.adapters import arrivals
from sandbox_executor.adapters.arrivals import Clock, arrived, dated_pipe, is_full
from sandbox_executor.launcher import messages


def test_the_kernel_dates_a_pipe_by_its_last_write_and_nobody_can_set_it_back():
    read, write = dated_pipe()
    clock = Clock()
    assert arrivals.dated_folder() is not None
    before = clock.now()
    os.write(write, b"abc")
    after = clock.now()
    time.sleep(0.1)
    data, ended, written = arrived(read, clock)
    assert (data, ended) == (b"abc", False)
    assert before - 0.05 <= written <= after + 0.05
    os.utime(write, (1, 1))
    assert clock.written(read) >= written
    os.close(write)
    assert arrived(read, clock)[:2] == (b"", True)
    os.close(read)


def test_what_dates_can_tell_apart_is_told():
    assert 0 < arrivals.resolution_s() <= 0.02
    assert f"to {arrivals.resolution_s() * 1000:.0f} ms" in arrivals.dating_layer().detail


def test_a_pipe_that_is_full_is_known():
    read, write = dated_pipe()
    os.set_blocking(write, False)
    assert not is_full(read)
    os.write(write, bytes(8 << 20))
    assert is_full(read)
    os.close(read)
    os.close(write)


def test_the_kernel_dates_messages():
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    messages.date(ours)
    clock = Clock()
    before = clock.now()
    messages.send(theirs, messages.Ended(exit_code=0), [theirs.fileno()])
    after = clock.now()
    time.sleep(0.1)
    message, descriptors, at = messages.receive(ours, messages.Ended)
    assert message == messages.Ended(exit_code=0)
    assert before - 0.05 <= clock.at(at) <= after + 0.05
    messages.close([*descriptors, ours.detach(), theirs.detach()])


def test_a_wall_clock_that_was_set_dates_nothing(monkeypatch):
    clock = Clock()
    ahead = arrivals._ahead()
    monkeypatch.setattr(arrivals, "_ahead", lambda: ahead + 3600)
    assert clock.at(ahead + 3600 + 5) is None
    assert clock.at(ahead + 3600 + 5) == pytest.approx(5)
