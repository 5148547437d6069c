"""Sessions: one sandbox, many programs."""

import contextlib

import pytest

from sandbox_executor.domain.jobs import File, Printed, ProgramResult
from sandbox_executor.domain.limits import resolve
from sandbox_executor.domain.outcomes import Outcome
from sandbox_executor.domain.sessions import SessionJob, Step
from sandbox_executor.usecases import Stop

MIB = 2**20


class Desk:
    """A session with short ways to use it."""

    def __init__(self, room):
        self.room = room

    def step(self, source="", *, command=(), timeout_s=60.0, output_bytes=MIB, stop=None, **options):
        events = []
        mine = stop or Stop()
        try:
            step = Step(timeout_s, output_bytes, source, tuple(command), **options)
            self.room.run(step, events.append, mine)
        finally:
            if stop is None:
                mine.close()
        printed = [b"".join(e.data for e in events if isinstance(e, Printed) and e.stream == name)
                   for name in ("stdout", "stderr")]  # fmt: skip
        result = events[-1] if events and isinstance(events[-1], ProgramResult) else None
        return result, *printed, {e.path: e.content for e in events if isinstance(e, File)}


@pytest.fixture
def desk(bench):
    with contextlib.ExitStack() as stack:

        def make(language="python", files=None, **limits):
            laid = tuple(File(path, content) for path, content in (files or {}).items())
            room = bench.backend.open_session(SessionJob(language, resolve(limits), files=laid))
            stack.callback(room.close)
            return Desk(room)

        yield make


def test_files_stay_from_step_to_step_and_come_and_go(desk):
    one = desk(files={"given/a.txt": b"given"})
    result, said, *_ = one.step("import os\nprint(open('given/a.txt').read())\nopen('b.txt', 'w').write('kept')")
    assert (result.outcome, said) == (Outcome.RETURNED, b"given\n")
    assert one.room.write("deep/er/c.bin", bytes(range(256)) * 4096) == ""
    source = (
        "import sys\nprint(open('b.txt').read(), len(open('deep/er/c.bin', 'rb').read()), sys.argv, sys.stdin.read())"
    )
    result, said, error, _ = one.step(source, arguments=("x", "{y}"), stdin=b"typed")
    assert said == b"kept 1048576 ['/work/candidate.py', 'x', '{y}'] typed\n", error
    assert one.room.read("b.txt") == b"kept"
    assert one.room.read("deep/er/c.bin") == bytes(range(256)) * 4096
    assert one.room.write("b.txt", b"") == ""
    assert one.room.read("b.txt") == b""
    *_, brought = one.step("open('out', 'w').write('o')", artefacts=("out", "absent"))
    assert brought == {"out": b"o"}


def test_a_step_is_a_command_as_well(desk):
    one = desk()
    _, said, *_ = one.step(command=("sh", "-c", "echo $0 $1 > f; cat f; pwd", "{a}", "b c"))
    assert said == b"{a} b c\n/work\n"
    _, said, error, _ = one.step(command=("python3", "-c", "import numpy, sys; print(numpy.arange(3).sum())"))
    assert said == b"3\n", error
    result, _, said, _ = one.step(command=("no-such-program",))
    assert (result.outcome, result.exit_code) == (Outcome.EXITED, 127)
    assert b"no-such-program" in said


def test_other_languages_compile_each_step(desk):
    one = desk("javascript")
    one.step("require('fs').writeFileSync('n', '41')")
    _, said, error, _ = one.step("console.log(+require('fs').readFileSync('n', 'utf8') + 1)")
    assert said == b"42\n", error
    _, said, error, _ = one.step(command=("node", "-e", "console.log(require('fs').readdirSync('.').includes('n'))"))
    assert said == b"true\n", error


def test_steps_have_limits_of_their_own_and_the_session_goes_on(desk):
    one = desk()
    one.step("open('kept', 'w').write('1')")
    assert one.step("while True: pass", timeout_s=0.7)[0].outcome is Outcome.TIMED_OUT
    result, said, *_ = one.step("while True: print('x' * 1000)", output_bytes=4096)
    assert result.outcome is Outcome.OUTPUT_LIMIT
    assert len(said) <= 4096
    result, *_ = one.step("print(")
    assert result.outcome in (Outcome.EXITED, Outcome.COMPILE_ERROR)
    result, said, *_ = one.step("import time\nprint(open('kept').read())")
    assert (result.outcome, said) == (Outcome.RETURNED, b"1\n")
    # What the steps before used is not this one's.
    assert result.cpu_s < 0.7


def test_memory_is_the_sessions_and_the_outcome_says_so(desk):
    one = desk(memory_bytes=96 * MIB)
    result, *_ = one.step("b = []\nwhile True: b.append(bytearray(1 << 20))")
    assert result.outcome is Outcome.MEMORY
    if one.room.alive:
        assert one.step("print(1)")[1] == b"1\n"


def test_what_a_step_leaves_running_ends_with_it(desk):
    one = desk()
    source = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in (0, 1, 2): os.close(number)
        while True:
            open("beat", "a").write("x")
            time.sleep(0.01)
    os._exit(0)
while not os.path.exists("beat"): time.sleep(0.01)
print("left")
"""
    assert one.step(source)[1] == b"left\n"
    before = len(one.room.read("beat"))
    _, said, *_ = one.step(
        "import os\nprint([p for p in os.listdir('/proc') if p.isdigit() and p != str(os.getpid())])"
    )
    assert said in (b"[]\n", b"['1']\n")
    assert len(one.room.read("beat")) == before


def test_a_stopped_step_gives_no_result_and_leaves_the_session(bench, desk):
    one = desk()
    stop = bench.later(0.3)
    result, *_ = one.step("import time\nopen('begun', 'w')\ntime.sleep(600)", stop=stop)
    assert result is None
    assert one.step("print(1)")[1] == b"1\n"


def test_reading_follows_no_link_and_reads_no_pipe(desk):
    one = desk()
    source = """
import os
open("plain", "w").write("plain")
os.symlink("/etc/passwd", "passwd"); os.symlink("/etc", "etc"); os.symlink("/proc/self/environ", "environ")
os.symlink("plain", "link"); os.mkfifo("pipe"); os.mkdir("folder"); os.symlink("loop", "loop")
open("large", "wb").truncate(40 << 20)
"""
    assert one.step(source)[0].outcome is Outcome.RETURNED
    names = ("passwd", "etc/passwd", "environ", "link", "pipe", "folder", "loop", "absent", "large", "plain")
    assert {name: one.room.read(name) for name in names if one.room.read(name) is not None} == {"plain": b"plain"}


def test_writing_follows_no_link_and_replaces_what_is_there(desk):
    one = desk()
    source = """
import os
open("victim", "w").write("victim")
os.symlink("victim", "link"); os.symlink("/etc", "etc"); os.symlink("/tmp", "tmp")
os.mkfifo("pipe"); os.mkdir("folder")
open("file", "w").write("f")
"""
    assert one.step(source)[0].outcome is Outcome.RETURNED
    for path in ("etc/passwd", "tmp/x", "folder", "file/inner"):
        assert one.room.write(path, b"new"), path
    for path in ("link", "pipe", "folder/new"):
        assert one.room.write(path, b"new") == "", path
        assert one.room.read(path) == b"new"
    assert one.room.read("victim") == b"victim"
    _, said, *_ = one.step("import os\nprint(sorted(os.listdir('/tmp')), open('/etc/passwd').read()[:4])")
    assert said == b"[] root\n"


def test_a_full_disk_refuses_a_file_and_keeps_the_old_one(desk):
    one = desk(memory_bytes=512 * MIB)
    assert one.room.write("kept", b"old") == ""
    one.step("try:\n    open('fill', 'wb').write(bytes(200 << 20))\nexcept OSError: pass\n"
             "with open('rest', 'wb', buffering=0) as f:\n    try:\n        while True: f.write(bytes(4096))\n"
             "    except OSError: pass")  # fmt: skip
    assert "space" in one.room.write("kept", b"n" * MIB)
    assert one.room.read("kept") == b"old"


def test_a_source_that_cannot_be_laid_out_is_the_steps_outcome(desk):
    one = desk()
    one.step("import os\nos.unlink('candidate.py'); os.mkdir('candidate.py')")
    result, *_ = one.step("print(1)")
    assert result.outcome is Outcome.COMPILE_ERROR
    assert "candidate.py" in result.detail


def test_sessions_are_apart(desk):
    one, two = desk(), desk()
    one.room.write("mine", b"1")
    assert two.room.read("mine") is None
    _, said, *_ = two.step("import os\nprint(os.listdir('/work'), os.listdir('/tmp'), os.listdir('/dev/shm'))")
    assert said == b"['candidate.py'] [] []\n"


def test_nothing_is_left_of_a_closed_session(bench, desk, leftovers):
    bench.one("def f(): return 1")
    before = leftovers()
    one = desk()
    one.step("open('x', 'w').write('1')")
    one.room.close()
    one.room.close()
    assert not one.room.alive
    after = leftovers()
    assert after | {"descriptors": 0} == before | {"descriptors": 0}
    # The thread pools of what waits for the next job may hold one more, for a moment.
    assert after["descriptors"] <= before["descriptors"] + 8


def test_a_language_that_does_not_exist_is_refused(bench):
    with pytest.raises(Exception, match="no such language"):
        bench.backend.open_session(SessionJob("cobol", resolve({})))
