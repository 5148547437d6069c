import errno
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.errors import NotFoundError, PreconditionError, RetryableError
from touchstone_runtime.faults import DependencyAwayError


@pytest.fixture
def store(tmp_path):
    return BlobStore(f"file://{tmp_path}")


async def test_what_was_put_is_got(store):
    digest = await store.put(b"some bytes")
    assert await store.put(b"some bytes") == digest
    assert await store.get(digest) == b"some bytes"
    assert await store.exists(digest)
    assert not await store.exists("0" * 64)


def test_a_store_says_whether_its_blobs_lie_on_a_disk(store, tmp_path):
    assert store.folder == tmp_path
    assert BlobStore("memory://blobs").folder is None


@pytest.mark.parametrize("scheme", ["gs", "az", "abfs", "nonsense"])
def test_a_store_that_nothing_here_speaks_with_is_refused_with_the_ways_out(scheme):
    with pytest.raises(PreconditionError, match=rf"{scheme}.*s3://") as refusal:
        BlobStore(f"{scheme}://name:secret@bucket/prefix")
    assert "secret" not in str(refusal.value)


async def test_what_a_full_disk_broke_off_leaves_nothing_behind(store, tmp_path, monkeypatch):
    whole = store._fs.pipe_file

    def full(path, data):
        whole(path, data[: len(data) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(store._fs, "pipe_file", full)
    for _ in range(3):
        with pytest.raises(DependencyAwayError):
            await store.put(b"some bytes")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    monkeypatch.undo()
    assert await store.exists(await store.put(b"some bytes"))


@pytest.mark.parametrize("fault", [errno.EPERM, errno.EOPNOTSUPP])
async def test_a_disk_without_links_keeps_blobs_too(store, monkeypatch, fault):
    def refuse(*_):
        raise OSError(fault, "no links here")

    monkeypatch.setattr("touchstone_runtime.blobs.os.link", refuse)
    assert await store.get(await store.put(b"some bytes")) == b"some bytes"


async def test_a_missing_blob_is_named(store):
    with pytest.raises(NotFoundError, match="0000"):
        await store.get("0" * 64)


@pytest.mark.parametrize(
    "digest",
    ["", ".", "..", "a\x00b", "../" * 8 + "etc/passwd", "../" * 8 + "dev/zero", "A" * 64, "a" * 4000, "%s" * 32],
)
async def test_what_is_no_digest_is_no_path(store, digest, tmp_path):
    await store.put(b"some bytes")
    with pytest.raises(NotFoundError):
        await store.get(digest)
    with pytest.raises(NotFoundError):
        await store.fetch(digest, tmp_path / "target", 1 << 20)
    assert not await store.exists(digest)


async def test_a_damaged_blob_is_not_handed_out(store, tmp_path):
    digest = await store.put(b"some bytes")
    (tmp_path / digest[:2] / digest).write_bytes(b"other bytes")
    with pytest.raises(RetryableError, match="damaged"):
        await store.get(digest)


@pytest.mark.parametrize("left", [b"", b"some", bytes(10), b"some bytes and more"])
async def test_a_damaged_blob_is_whole_again_once_its_maker_has_run_again(store, tmp_path, left):
    digest = await store.put(b"some bytes")
    # What a power cut or a failing disk makes of a file.
    (tmp_path / digest[:2] / digest).write_bytes(left)
    assert await store.put(b"some bytes") == digest
    assert await store.get(digest) == b"some bytes"
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1


@pytest.mark.parametrize("put", [lambda store: store.put(b"1"), lambda store: store.put_at("llm-cache/one", b"1")])
async def test_what_is_said_to_be_stored_outlives_a_power_cut(store, tmp_path, monkeypatch, put):
    synced, lain = [], []

    def sync(file):
        synced.append(os.fstat(file).st_ino)
        lain.append([path.stat().st_ino for path in tmp_path.rglob("*") if path.is_file() and "." not in path.name])

    monkeypatch.setattr(os, "fsync", sync)
    await put(store)
    (file,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert synced == [file.stat().st_ino, file.parent.stat().st_ino]
    assert lain == [[], [file.stat().st_ino]], "the bytes before its name, and its name before the word"


async def test_a_blob_that_is_there_is_not_written_again(store, tmp_path):
    digest = await store.put(b"some bytes")
    before = (tmp_path / digest[:2] / digest).stat()
    await store.put(b"some bytes")
    after = (tmp_path / digest[:2] / digest).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


async def test_keys_of_the_callers_are_replaced(store):
    assert await store.get_at("llm-cache/one") is None
    await store.put_at("llm-cache/one", b"1")
    await store.put_at("llm-cache/one", b"2")
    assert await store.get_at("llm-cache/one") == b"2"


async def test_no_half_written_files_stay(store, tmp_path):
    await store.put(b"x" * 100_000)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file() and "." in path.name] == []


@given(st.binary(max_size=100), st.binary(max_size=100))
def test_digests_tell_contents_apart(one, other):
    import asyncio

    async def run():
        store = BlobStore("memory://blobs")
        return await store.put(one), await store.put(other)

    first, second = asyncio.run(run())
    assert (first == second) == (one == other)


async def test_a_bucket_that_is_away_is_a_passing_fault_whatever_is_asked(monkeypatch):
    for name, value in {
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "AWS_ALLOW_HTTP": "true",
        "AWS_REGION": "eu-central-1",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
    }.items():
        monkeypatch.setenv(name, value)
    store = BlobStore("s3://bucket/prefix")
    for asked in (
        store.put(b"x"),
        store.get("0" * 64),
        store.exists("0" * 64),
        store.get_at("k"),
        store.put_at("k", b""),
    ):
        with pytest.raises(DependencyAwayError, match=r"s3://bucket|bucket/prefix"):
            await asked


async def test_a_store_that_is_away_is_waited_for_and_never_mistaken_for_an_empty_one(tmp_path):
    root, aside = tmp_path / "blobs", tmp_path / "aside"
    store = BlobStore(f"file://{root}")
    digest = await store.put(b"some bytes")
    root.rename(aside)
    for work in (store.get(digest), store.get_at("llm-cache/one"), store.put(b"other"), store.exists(digest)):
        with pytest.raises(DependencyAwayError):
            await work
    assert not root.exists()
    aside.rename(root)
    assert await store.get(digest) == b"some bytes"
    assert await store.get_at("llm-cache/one") is None


async def test_a_disk_that_refuses_is_waited_for(tmp_path):
    blocked = tmp_path / "a file"
    blocked.write_text("")
    with pytest.raises(DependencyAwayError):
        await BlobStore(f"file://{blocked}/below").put(b"some bytes")
