"""What crosses the wall of a sandbox has types and bounds; words that are never said there are the job's doing."""

import contextlib
import json
import os
import socket

import pytest

from sandbox_executor.adapters.commanded import CommandedSandbox
from sandbox_executor.adapters.sandbox import Command
from sandbox_executor.domain.outcomes import Outcome, Signs, Usage, read_signs
from sandbox_executor.errors import SandboxFaultError
from sandbox_executor.launcher import messages
from sandbox_executor.launcher.messages import (
    Artefact,
    Collect,
    Collected,
    Ended,
    Entered,
    Failed,
    Forked,
    Kill,
    MalformedMessageError,
    Plan,
    Ready,
    RootPlan,
    Run,
    WarmUp,
    dump,
    parse,
)

EVERY = [
    RootPlan("/r", (("/a", "/b"),), (("/c", "d"),), {"/e": "f"}, "/g", "/h", True, "/p", "/q", "o", {"A": "ü"}),
    WarmUp("/site", ("numpy",), 3, network=True, disk_bytes=1, inodes=2, user=3),
    Plan(1, 2, 3, 4, 5, "e", "v", ("m",), keep_capabilities=True, network=True, egress=3128),
    Run("exec", ("/bin/true", "\n\ud800"), {"A": "b"}, {"NOFILE": 7}),
    Kill(),
    Collect(("a", "b/c")),
    Ready(6),
    Forked(),
    Failed("words"),
    Entered(),
    Ended(exit_code=0),
    Ended(signal=9),
    Ended(fault="no memory"),
    Artefact("a", 5),
    Collected(),
]


@pytest.mark.parametrize("message", EVERY, ids=lambda message: type(message).__name__)
def test_a_message_is_read_as_it_was_said_and_changed_in_no_field(message):
    data = dump(message)
    assert parse(data, type(message)) == message
    told = json.loads(data)
    hostile = [None, True, 1.5, -(1 << 70), 10**400, "x", [1], ["x", None], {"a": [1]}, [["a"]], [["a", "b", "c"]]]
    for name in told:
        for value in hostile:
            changed = told | {name: value}
            if type(value) is type(told[name]) or (told[name] is None and isinstance(value, int | bool)):
                continue
            with pytest.raises(MalformedMessageError):
                parse(json.dumps(changed), type(message))
        with pytest.raises(MalformedMessageError):
            parse(json.dumps({key: value for key, value in told.items() if key != name}), type(message))
    with pytest.raises(MalformedMessageError):
        parse(json.dumps(told | {"more": 1}), type(message))
    with pytest.raises(MalformedMessageError, match="where none is expected"):
        parse(data, Kill if not isinstance(message, Kill) else Run)


NONE = [
    *(b"", b"{", b"null", b"[]", b'"x"', b"\xff", b"[" * 100_000, b"1" * 5000),
    *(b'{"kind":["Ended"]}', b'{"kind":"Ended"}'),
    b'{"kind":"Ended","exit_code":1,"signal":2,"fault":""}',
    b'{"kind":"Ended","exit_code":-1,"signal":null,"fault":""}',
    b'{"kind":"Ended","exit_code":null,"signal":0,"fault":""}',
    b'{"kind":"Ended","exit_code":null,"signal":65,"fault":""}',
]


@pytest.mark.parametrize("data", NONE, ids=range(len(NONE)))
def test_everything_else_is_malformed_and_nothing_else_is_raised(data):
    with pytest.raises(MalformedMessageError):
        parse(data, Ended, Entered)


class Spoken(CommandedSandbox):
    """A sandbox whose first process is this test."""

    def __init__(self):
        ours, self.inside = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        super().__init__(ours)
        self.killed = 0

    def says(self, *what, descriptors=None):
        for message in what:
            data = message if isinstance(message, bytes) else dump(message)
            rights = [
                (socket.SOL_SOCKET, socket.SCM_RIGHTS, b"".join(d.to_bytes(4, "little") for d in descriptors or ()))
            ]
            self.inside.sendmsg([data], rights if descriptors else [])

    def files(self, *paths):
        return [(received.message.path, received.descriptors) for received in self._collect(paths)]

    def _kill_init(self):
        self.killed += 1

    def _words(self):
        return "words"

    usage = collect = None

    def close(self):
        self._control.close()
        self.inside.close()


@pytest.fixture
def spoken():
    found = Spoken()
    yield found
    found.close()


FOREIGN = [
    b"x",
    b"[" * 9000,
    dump(Ready()),
    dump(Collected()),
    b'{"kind":"Ended"}',
    dump(Failed("x"))[:-1] + b',"a":1}',
]


@pytest.mark.parametrize("words", FOREIGN, ids=range(len(FOREIGN)))
def test_words_that_the_first_process_never_says_are_the_jobs_outcome(spoken, words):
    spoken.start(Command("exec", ("/bin/true",), {}), [])
    spoken.says(Entered(), words)
    assert not spoken.ended()
    assert spoken.ended()
    ending = spoken.ending()
    assert (spoken.killed, spoken.alive) == (1, False)
    assert read_signs(Signs(Usage(), ending)).outcome is Outcome.FORBIDDEN
    # Said again, it is the same: nothing waits for more of it.
    spoken.stop()


def test_a_sandbox_stands_once(spoken):
    spoken.says(Failed("x" * 5000))
    with pytest.raises(SandboxFaultError):
        spoken.ending()
    spoken.says(Entered(), Entered())
    assert spoken.ending().foreign


def test_files_may_be_asked_for_before_the_sandbox_stands(spoken):
    spoken.says(Entered(), Artefact("a"), Collected())
    assert spoken.files("a") == [("a", [])]


def test_descriptors_that_nobody_asked_for_are_closed(spoken):
    before = len(os.listdir("/proc/self/fd"))
    spoken.says(Entered(), descriptors=[0, 1, 2])
    spoken.says(Ended(exit_code=3), descriptors=[0] * 30)
    assert not spoken.ended()
    assert spoken.ending().exit_code == 3
    spoken.says(b"nonsense", descriptors=[0, 1])
    assert spoken.ending().foreign
    spoken.says(Artefact("b"), descriptors=[0, 1])
    assert spoken.files("a") == []
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize(
    "said", [[Artefact("c")], [Artefact("a"), Artefact("a")], [Ended(exit_code=0)], [b"nonsense"]], ids=range(4)
)
def test_files_that_nobody_asked_for_end_the_collection(spoken, said):
    spoken.says(Entered(), Artefact("b"), *said, Collected())
    assert spoken.files("a", "b")[:1] == [("b", [])]
    assert (spoken.killed, spoken.alive) == (1, False)


def test_a_first_process_that_is_silent_keeps_nobody(spoken, monkeypatch):
    monkeypatch.setattr("sandbox_executor.adapters.commanded.COLLECT_WITHIN_S", 0.05)
    assert spoken.files("a") == []
    assert spoken.killed == 1


def test_a_message_that_is_too_long_is_none():
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with contextlib.closing(ours), contextlib.closing(theirs):
        theirs.send(b" " * (messages.LARGEST + 1))
        with pytest.raises(MalformedMessageError, match="too long"):
            messages.receive(ours, Ended)
        theirs.close()
        assert messages.receive(ours, Ended) is None
