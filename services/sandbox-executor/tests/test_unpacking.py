"""What archives may write where, by Pythons with and without filters of their own."""

import io
import tarfile

import pytest

from sandbox_executor.adapters.unpacking import unpack_data


@pytest.fixture(params=["filters", "none"], autouse=True)
def python(request, monkeypatch):
    if request.param == "none":
        monkeypatch.delattr(tarfile, "data_filter", raising=False)


def archive_of(*members):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as target:
        for name, kind, link, mode in members:
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname, entry.mode = kind, link, mode
            data = b"data" if kind == tarfile.REGTYPE else b""
            entry.size = len(data)
            target.addfile(entry, io.BytesIO(data))
    stream.seek(0)
    return tarfile.open(fileobj=stream)


def test_files_folders_and_links_within_are_unpacked(tmp_path):
    members = [
        ("a/link", tarfile.SYMTYPE, "../b/run", 0o777), ("a", tarfile.DIRTYPE, "", 0o755),
        ("b/run", tarfile.REGTYPE, "", 0o4755),
    ]  # fmt: skip
    with archive_of(*members) as archive:
        unpack_data(archive, tmp_path)
    assert (tmp_path / "a/link").read_bytes() == b"data"
    assert (tmp_path / "b/run").stat().st_mode & 0o7777 == 0o755


@pytest.mark.parametrize(
    ("name", "kind", "link"),
    [
        ("../out", tarfile.REGTYPE, ""),
        ("link", tarfile.SYMTYPE, "../../out"),
        ("a/link", tarfile.SYMTYPE, "b/../../../out"),
        ("link", tarfile.SYMTYPE, "/etc/passwd"),
        ("pipe", tarfile.FIFOTYPE, ""),
        ("disk", tarfile.BLKTYPE, ""),
    ],
)
def test_what_is_no_plain_data_is_refused(tmp_path, name, kind, link):
    folder = tmp_path / "folder"
    folder.mkdir()
    with archive_of((name, kind, link, 0o644)) as archive, pytest.raises(tarfile.TarError):
        unpack_data(archive, folder)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
