"""Datasets beneath /data: there, whole, and nobody's to change."""

import hashlib
import json

import pytest

from sandbox_executor.adapters.datasets import DatasetCache
from sandbox_executor.domain.datasets import Dataset
from sandbox_executor.domain.jobs import ProgramJob
from sandbox_executor.domain.limits import resolve
from sandbox_executor.domain.outcomes import Outcome
from sandbox_executor.domain.sessions import SessionJob, Step
from sandbox_executor.usecases import Stop
from touchstone_runtime.blobs import BlobStore

DATA = bytes(range(256)) * 4096


@pytest.fixture
async def view(bench, tmp_path):
    store = BlobStore(f"file://{tmp_path}/store")
    digest = await store.put(DATA)
    other = await store.put(b"other")
    cache = DatasetCache(bench.backend._options.state_dir, store, 1 << 30)
    held = await cache.hold((Dataset("deep/table.bin", digest), Dataset("small", other)))
    # Another job's: must not be seen.
    foreign = await cache.hold((Dataset("secret", other),))
    yield held.view
    held.release()
    foreign.release()


READ = """
import hashlib, os
def f():
    found = sorted(os.path.join(d, n) for d, _, ns in os.walk("/data") for n in ns)
    return [found, hashlib.sha256(open("/data/deep/table.bin", "rb").read()).hexdigest(), open("/data/small").read()]
"""


def test_a_job_reads_its_datasets(bench, view):
    (result,) = bench.cases(READ, [], data_view=view)
    digest = hashlib.sha256(DATA).hexdigest()
    wanted = f'[["/data/deep/table.bin","/data/small"],"{digest}","other"]'
    assert (result.outcome, result.value) == (Outcome.RETURNED, wanted), result


def test_without_datasets_there_are_none(bench, view):
    assert bench.one("import os\ndef f(): return os.listdir('/data')").value == "[]"


ATTACK = """
import os, mmap
def f():
    held = []
    def attempt(name, call):
        try:
            call()
        except (OSError, PermissionError) as error:
            held.append(name)
    small = "/data/small"
    attempt("write", lambda: open(small, "r+b"))
    attempt("append", lambda: open(small, "ab"))
    attempt("truncate", lambda: os.truncate(small, 0))
    attempt("create", lambda: open("/data/new", "w"))
    attempt("unlink", lambda: os.unlink(small))
    attempt("rename", lambda: os.rename(small, "/data/x"))
    attempt("replace", lambda: os.rename(__file__, small))
    attempt("chmod", lambda: os.chmod(small, 0o777))
    attempt("chmod folder", lambda: os.chmod("/data", 0o777))
    attempt("utime", lambda: os.utime(small))
    attempt("link", lambda: os.link(small, "/work/linked"))
    attempt("proc", lambda: open("/proc/self/fd/%d" % os.open(small, os.O_RDONLY), "r+b"))
    attempt("map", lambda: mmap.mmap(os.open(small, os.O_RDONLY), 5, mmap.MAP_SHARED, mmap.PROT_WRITE))
    attempt("execute", lambda: os.execv(small, ["small"]))
    attempt("others", lambda: os.listdir("/datasets") + [1 / 0])
    return [held, open(small).read()]
"""


def test_a_dataset_cannot_be_changed(bench, view):
    (result,) = bench.cases(ATTACK, [], data_view=view)
    names = ["write", "append", "truncate", "create", "unlink", "rename", "replace", "chmod", "chmod folder", "utime",
             "link", "proc", "map", "execute", "others"]  # fmt: skip
    assert json.loads(result.value) == [names, "other"], result
    # The next job reads what the first one read.
    assert '"other"' in bench.cases(READ, [], data_view=view)[0].value


def test_programs_and_sessions_have_datasets(bench, view):
    source = "print(len(open('/data/deep/table.bin', 'rb').read()))"
    events = []
    stop = Stop()
    job = ProgramJob("python", source, (), b"", (), resolve({}), data_view=view)
    bench.backend.run_program(job, events.append, stop)
    assert events[0].data == b"1048576\n"
    room = bench.backend.open_session(SessionJob("python", resolve({}), data_view=view))
    try:
        for _ in range(2):
            events.clear()
            room.run(Step(60, 4096, source), events.append, stop)
            assert events[0].data == b"1048576\n"
        events.clear()
        room.run(Step(60, 4096, command=("sh", "-c", "echo x > /data/small")), events.append, stop)
        assert events[-1].outcome is Outcome.EXITED
    finally:
        room.close()
        stop.close()
