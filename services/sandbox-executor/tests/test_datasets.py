"""Datasets: fetched once, proved, kept within a bound, never taken from under a job."""

import asyncio
import hashlib

import pytest

from sandbox_executor.adapters.datasets import DatasetCache, views_in
from sandbox_executor.domain.datasets import Dataset, check_datasets, view_id
from sandbox_executor.domain.jobs import CasesJob, JobError
from sandbox_executor.domain.limits import DEFAULT
from sandbox_executor.errors import BusyError
from sandbox_executor.settings import SandboxSettings
from sandbox_executor.usecases import Executor
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.errors import PreconditionError, RetryableError

A, B, C = (bytes([65 + i]) * 1000 for i in range(3))


@pytest.fixture
def store(tmp_path):
    return BlobStore(f"file://{tmp_path}/store")


@pytest.fixture
def cache(tmp_path, store):
    return lambda most_bytes=10_000: DatasetCache(tmp_path / "state", store, most_bytes)


def seen(tmp_path, held):
    root = views_in(tmp_path / "state") / held.view
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def kept(tmp_path):
    blobs = views_in(tmp_path / "state").with_name("blobs")
    return {path.name for path in blobs.iterdir()}


async def test_a_view_holds_each_dataset_at_its_path(cache, store, tmp_path):
    a, b = await store.put(A), await store.put(B)
    held = await cache().hold((Dataset("one.csv", a), Dataset("deep/er/two.bin", b), Dataset("again.csv", a)))
    assert seen(tmp_path, held) == {"one.csv": A, "deep/er/two.bin": B, "again.csv": A}
    assert kept(tmp_path) == {a, b}
    held.release()
    held.release()


async def test_what_many_want_is_fetched_once(cache, store, tmp_path):
    a = await store.put(A)
    fetched = []

    class Counting(BlobStore):
        async def fetch(self, digest, target, most_bytes):
            fetched.append(digest)
            await super().fetch(digest, target, most_bytes)

    one = DatasetCache(tmp_path / "state", Counting(f"file://{tmp_path}/store"), 10_000)
    held = await asyncio.gather(*(one.hold((Dataset(f"p{i % 3}", a),)) for i in range(9)))
    assert fetched == [a]
    assert len({each.view for each in held}) == 3


async def test_a_missing_or_too_large_one_is_a_precondition_that_names_it(cache, store, tmp_path):
    with pytest.raises(PreconditionError, match=r"0{64}.*none with this digest"):
        await cache().hold((Dataset("a", "0" * 64),))
    a = await store.put(A)
    with pytest.raises(PreconditionError, match=f"{a}: larger than 999 bytes"):
        await cache(999).hold((Dataset("a", a),))
    assert kept(tmp_path) == set()


async def test_a_damaged_one_is_never_kept(cache, store, tmp_path):
    a = await store.put(A)
    (tmp_path / "store" / a[:2] / a).write_bytes(B)
    with pytest.raises(RetryableError, match="damaged"):
        await cache().hold((Dataset("a", a),))
    assert kept(tmp_path) == set()


async def test_the_one_used_longest_ago_makes_room_and_one_in_use_stays(cache, store, tmp_path):
    a, b, c = [await store.put(data) for data in (A, B, C)]
    one = cache(2500)
    first = await one.hold((Dataset("a", a),))
    (await one.hold((Dataset("b", b),))).release()
    third = await one.hold((Dataset("c", c),))
    assert kept(tmp_path) == {a, c}
    assert seen(tmp_path, first) == {"a": A}
    # Another executor with the same folder sees what is in use here.
    other = cache(2500)
    with pytest.raises(BusyError, match="no room"):
        await other.hold((Dataset("b", b),))
    assert (seen(tmp_path, first), seen(tmp_path, third)) == ({"a": A}, {"c": C})
    first.release()
    again = await other.hold((Dataset("b", b),))
    assert seen(tmp_path, again) == {"b": B}
    assert kept(tmp_path) == {b, c}


async def test_datasets_that_do_not_fit_together_are_refused(cache, store):
    a, b, c = [await store.put(data) for data in (A, B, C)]
    with pytest.raises(BusyError, match="no room"):
        await cache(2500).hold((Dataset("a", a), Dataset("b", b), Dataset("c", c)))


async def test_a_job_holds_its_datasets_until_it_ended(echoing, cache, store):
    class Watched:
        def __init__(self):
            self.released = 0
            self.view = "v" * 32

        async def hold(self, datasets):
            return self

        def release(self):
            self.released += 1

    watched = Watched()
    executor = Executor({"scripted": echoing}, 1, datasets=watched)
    job = CasesJob("python", "def f(x): return x", "f", ("[1]", "[2]"), DEFAULT, datasets=(Dataset("a", "0" * 64),))
    async for _ in executor.run_cases(job):
        assert watched.released == 0
    assert watched.released == 1
    assert echoing.jobs[0].data_view == "v" * 32
    bare = Executor({"scripted": echoing}, 1)
    with pytest.raises(PreconditionError, match="no store of datasets"):
        [group async for group in bare.run_cases(job)]
    executor.close()
    bare.close()


D = hashlib.sha256(b"").hexdigest()


@pytest.mark.parametrize(
    "wrong",
    [
        (Dataset("../a", D),),
        (Dataset("/a", D),),
        (Dataset("a", D), Dataset("a", D)),
        (Dataset("a/b", D), Dataset("a", D)),
        (Dataset("a", D.upper()),),
        (Dataset("a", "../" + D[3:]),),
        (Dataset("a", ""),),
        tuple(Dataset(str(i), D) for i in range(51)),
    ],
)
def test_what_cannot_lie_side_by_side_is_refused(wrong):
    with pytest.raises(JobError):
        check_datasets(wrong)


def test_a_view_is_named_by_what_is_in_it():
    one, two = Dataset("a", D), Dataset("b", D)
    assert view_id((one, two)) == view_id((two, one)) != view_id((one,))


def test_suites_are_no_datasets(tmp_path):
    settings = SandboxSettings(blob_url=f"file://{tmp_path}/blobs")
    assert settings.datasets_url == f"file://{tmp_path}/blobs/datasets"
