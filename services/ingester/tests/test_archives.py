import gzip
import io
import resource
import subprocess
import tarfile
import zipfile

import pytest

from ingester.adapters.archives import UnpackLimits, unpack
from ingester.adapters.git_repository import GitRepository
from ingester.adapters.trees import FolderTree
from ingester.adapters.unpacking import unpack_apart
from ingester.errors import SourceRefusedError


@pytest.fixture
def target(tmp_path):
    folder = tmp_path / "target"
    folder.mkdir()
    return folder


def tar_of(path, members):
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            if isinstance(content, bytes):
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
            else:
                content(info)
                archive.addfile(info)
    return path


def link_to(place, kind=tarfile.SYMTYPE):
    def make(info):
        info.type = kind
        info.linkname = place

    return make


def contents(target):
    return {path.relative_to(target).as_posix(): path.read_bytes() for path in target.rglob("*") if path.is_file()}


def test_regular_files_come_out(tmp_path, target):
    archive = tar_of(tmp_path / "a.tar.gz", [("p/a.py", b"x = 1\n"), ("p/sub/b.py", b"")])
    assert unpack(archive, target) == 2
    assert contents(target) == {"p/a.py": b"x = 1\n", "p/sub/b.py": b""}


def test_a_zip_archive_too(tmp_path, target):
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as archive:
        archive.writestr("p/a.py", "x = 1\n")
    assert unpack(tmp_path / "a.whl", target) == 1


@pytest.mark.parametrize("name", ["../evil.py", "/etc/evil.py", "p/../../evil.py", "p\\..\\evil.py"])
def test_paths_that_lead_outside_are_refused(tmp_path, target, name):
    archive = tar_of(tmp_path / "a.tar.gz", [(name, b"x")])
    with pytest.raises(SourceRefusedError, match="path"):
        unpack(archive, target)
    assert not (tmp_path / "evil.py").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
def test_links_never_come_out_and_nothing_is_written_through_them(tmp_path, target, kind):
    outside = tmp_path / "outside"
    outside.mkdir()
    archive = tar_of(tmp_path / "a.tar.gz", [("p", link_to(str(outside), kind)), ("p/a.py", b"x")])
    unpack(archive, target)
    assert list(outside.iterdir()) == []
    assert not (target / "p").is_symlink()


def test_devices_and_pipes_are_left_out(tmp_path, target):
    archive = tar_of(
        tmp_path / "a.tar.gz", [("fifo", lambda info: setattr(info, "type", tarfile.FIFOTYPE)), ("a.py", b"x")]
    )
    assert unpack(archive, target) == 1


def test_a_bomb_is_stopped(tmp_path, target):
    archive = tar_of(tmp_path / "a.tar.gz", [(f"{number}.py", b"\0" * 100_000) for number in range(20)])
    with pytest.raises(SourceRefusedError, match="unpacks to more than"):
        unpack(archive, target, UnpackLimits(total_bytes=1_000_000))
    assert sum(len(content) for content in contents(target).values()) <= 1_000_000


def test_too_many_members_are_stopped(tmp_path, target):
    archive = tar_of(tmp_path / "a.tar.gz", [(f"{number}.py", b"") for number in range(20)])
    with pytest.raises(SourceRefusedError, match="more than 10 files"):
        unpack(archive, target, UnpackLimits(files=10))


def test_one_huge_file_is_left_out(tmp_path, target):
    archive = tar_of(tmp_path / "a.tar.gz", [("data.py", b"x" * 2000), ("a.py", b"x")])
    assert unpack(archive, target, UnpackLimits(file_bytes=1000)) == 1


@pytest.mark.parametrize("name", ["large.py", "large.pyx", "large.pyw"])
@pytest.mark.parametrize("chunk", [7, 1 << 20])
def test_a_file_of_functions_that_is_too_large_is_not_taken_for_one_that_never_was(
    tmp_path, target, monkeypatch, name, chunk
):
    monkeypatch.setattr("ingester.adapters.archives._CHUNK", chunk)
    monkeypatch.setattr("ingester.adapters.trees._CHUNK", chunk)
    blank = b"\n" * 2000
    archive = tar_of(
        tmp_path / "a.tar.gz",
        [
            (name, blank + b"def f(x):\n    return x\n"),
            ("data.py", blank + b"undefined = 1\n"),
            ("large.txt", b"def f" * 999),
        ],
    )
    assert unpack(archive, target, UnpackLimits(file_bytes=1000)) == 0
    (left,) = FolderTree(target, 1000).held()
    assert (left.path, left.content, left.problem) == (name, b"", "is larger than 1000 bytes")
    # A folder tells the same.
    (target / "data.py").write_bytes(blank + b"undefined = 1\n")
    (target / name).write_bytes(blank + b"def f(x):\n    return x\n")
    assert [file.path for file in FolderTree(target, 1000).held()] == [name]
    counted = [(file.path, file.problem) for file in FolderTree(target, 1000).files()]
    assert ("data.py", "is larger than 1000 bytes") in counted


@pytest.mark.parametrize("content", [b"", b"no archive at all", b"\x1f\x8b\x08broken", b"PK\x03\x04broken"])
def test_what_is_no_archive_is_named(tmp_path, target, content):
    path = tmp_path / "broken.tar.gz"
    path.write_bytes(content)
    with pytest.raises(SourceRefusedError, match=r"broken\.tar\.gz"):
        unpack(path, target)


def test_a_truncated_archive_is_named(tmp_path, target):
    whole = tar_of(tmp_path / "whole.tar.gz", [("a.py", bytes(range(256)) * 2000)])
    cut = tmp_path / "cut.tar.gz"
    cut.write_bytes(whole.read_bytes()[:-200])
    with pytest.raises(SourceRefusedError, match=r"damaged|cannot"):
        unpack(cut, target)


def of_three(tmp_path):
    """The bytes of a tar of three files, each a header and a block."""
    tar_of(tmp_path / "three.tar.gz", [(f"{name}.py", b"x = 1\n") for name in "abc"])
    return bytearray(gzip.decompress((tmp_path / "three.tar.gz").read_bytes()))


def broken_header(data):
    data[1024] ^= 1
    return gzip.compress(data)


def broken_content(data):
    packed = bytearray(gzip.compress(data, 0))
    packed[packed.rindex(b"x = 1")] ^= 1
    return packed


DAMAGE = {
    "a header": broken_header,
    "a header, not compressed": lambda data: gzip.decompress(broken_header(data)),
    "a content": broken_content,
    "cut between two files": lambda data: data[:1024],
    "cut in a header": lambda data: data[:1100],
    "cut behind its last file": lambda data: gzip.compress(data)[:-4],
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_archive_is_never_taken_for_a_shorter_one(tmp_path, target, damage):
    path = tmp_path / "damaged.tar.gz"
    path.write_bytes(gzip.compress(of_three(tmp_path)))
    assert unpack(path, target) == 3
    path.write_bytes(damage(of_three(tmp_path)))
    with pytest.raises(SourceRefusedError, match=r"damaged|cannot"):
        unpack(path, target)


def test_a_zip_that_lies_about_a_size_is_refused(tmp_path, target):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.py", b"x" * 5000)
    data = path.read_bytes()
    path.write_bytes(data.replace((5000).to_bytes(4, "little"), (10).to_bytes(4, "little")))
    with pytest.raises(SourceRefusedError):
        unpack(path, target)


def test_a_zip_whose_member_ends_behind_the_file_is_refused_in_words(tmp_path, target):
    """The library says nothing at all of it."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("a.py", b"x" * 5000)
    data = path.read_bytes()
    path.write_bytes(data.replace((5000).to_bytes(4, "little"), (50_000).to_bytes(4, "little")))
    with pytest.raises(SourceRefusedError, match="damaged or no archive: EOFError"):
        unpack(path, target)


def test_what_is_left_out_counts(tmp_path, target):
    links = [(f"l{number}", link_to("a.py", tarfile.SYMTYPE)) for number in range(20)]
    with pytest.raises(SourceRefusedError, match="more than 10 files"):
        unpack(tar_of(tmp_path / "links.tar.gz", links), target, UnpackLimits(files=10))
    large = tar_of(tmp_path / "large.tar.gz", [(f"{number}.bin", b"\0" * 10_000) for number in range(20)])
    with pytest.raises(SourceRefusedError, match="unpacks to more than"):
        unpack(large, target, UnpackLimits(file_bytes=1000, total_bytes=100_000))


def test_a_name_of_128_mb_costs_a_child_its_life_and_us_nothing(tmp_path, target):
    archive = tmp_path / "name.tar.gz"
    with gzip.open(archive, "wb", compresslevel=9) as out:
        info = tarfile.TarInfo("././@LongLink")
        info.type, info.size = tarfile.GNUTYPE_LONGNAME, 128 << 20
        out.write(info.tobuf(tarfile.GNU_FORMAT))
        for _ in range(128):
            out.write(b"a" * (1 << 20))
        out.write(tarfile.TarInfo("a.py").tobuf(tarfile.GNU_FORMAT) + b"\0" * 1024)
    assert archive.stat().st_size < 300_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(SourceRefusedError, match=r"characters|MiB|damaged|cannot"):
        unpack_apart(archive, target, UnpackLimits(), memory_bytes=200 << 20)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 40_000
    good = tar_of(tmp_path / "a.tar.gz", [("p/a.py", b"x = 1\n")])
    assert unpack_apart(good, target, UnpackLimits()) == 1
    assert contents(target) == {"p/a.py": b"x = 1\n"}


def test_a_clone_that_grows_beyond_its_cap_is_refused(tmp_path):
    origin = tmp_path / "origin"
    origin.mkdir()

    def git(*words):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", "-C", str(origin), *identity, *words], check=True, capture_output=True)

    git("init", "-q")
    (origin / "large.py").write_bytes(b"x = 1\n" * 1_000_000)
    git("add", ".")
    git("commit", "-qm", "one")
    repository = GitRepository(most_bytes=1_000_000)
    commit = repository.head(str(origin), "")
    with pytest.raises(SourceRefusedError, match="takes more than 1000000 bytes"):
        repository.checkout(str(origin), commit, tmp_path / "clone")
    GitRepository().checkout(str(origin), commit, tmp_path / "again")
