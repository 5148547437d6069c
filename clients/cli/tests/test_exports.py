"""Exports that are broken off leave nothing, and two that write the same file do not meet."""

import contextlib
import hashlib
import json
import os
from pathlib import Path

import grpc
import pytest

from touchstone_cli.drafts import draft_of
from touchstone_cli.errors import CliError
from touchstone_cli.release_files import write_export


@pytest.fixture
def place(tmp_path):
    """A folder with nothing in it: the made-up services have their socket in the one around it."""
    folder = tmp_path / "place"
    folder.mkdir()
    return folder


@pytest.fixture
def piece(world):
    return world.pb.generator.ExportReleaseResponse


def names(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def broken_off(piece):
    yield piece(path="task1/groundtruth.py", data=b"x")
    yield piece(path="SHA256SUMS", data=b"y")
    raise CliError("the connection is gone")


@pytest.mark.parametrize("force", [False, True])
def test_an_export_that_is_broken_off_leaves_nothing_and_is_asked_for_again(piece, place, force):
    out = place / "new" / "out"
    with pytest.raises(CliError, match="the connection is gone"):
        write_export(out, broken_off(piece), force=force)
    assert names(place) == []
    assert write_export(out, [piece(path="a/b", data=b"x"), piece(path="SHA256SUMS", data=b"")], force=force) == (2, 1)
    assert names(place) == ["new", "new/out", "new/out/SHA256SUMS", "new/out/a", "new/out/a/b"]
    # Like any folder and file of one's own: whoever may read these may read that.
    (place / "mine").mkdir()
    assert out.stat().st_mode == (place / "mine").stat().st_mode


ABOUT = json.dumps({"format": "beir", "layout": 1, "release": "a", "digest": "d" * 64}).encode()


def whole(piece, **files):
    """The pieces of an export, checksums last."""
    files = {"export.json": ABOUT, **files}
    sums = "".join(f"{hashlib.sha256(data).hexdigest()}  {path}\n" for path, data in files.items())
    return [piece(path=path, data=data) for path, data in [*files.items(), ("SHA256SUMS", sums.encode())]]


def test_a_former_export_stays_until_the_new_one_is_whole(piece, place):
    out = place / "out"
    write_export(out, whole(piece, **{"a/old": b"x"}), force=False)
    (out / "mine").write_text("kept")
    (out / "a" / "__pycache__").mkdir()
    with pytest.raises(CliError, match="the connection is gone"):
        write_export(out, broken_off(piece), force=True)
    assert names(out) == ["SHA256SUMS", "a", "a/__pycache__", "a/old", "export.json", "mine"]
    write_export(out, whole(piece, **{"a/new": b"x"}), force=True)
    assert names(out) == ["SHA256SUMS", "a", "a/new", "export.json", "mine"]


@pytest.mark.parametrize("about", [None, b"{}", b"nonsense", b'{"format": "mine", "digest": "d"}'])
def test_a_persons_own_folder_with_checksums_is_no_former_export(piece, place, about):
    own = {"thesis.tex": b"years of work", "SHA256SUMS": b"", "data/measurements.csv": b"more of it"}
    own["SHA256SUMS"] = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in own.items()).encode()
    if about is not None:
        own["export.json"] = about
    for name, data in own.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_bytes(data)
    with pytest.raises(CliError, match="no file of an export; move it away, or name another folder"):
        write_export(place, whole(piece, **{"manifest.json": b"{}"}), force=True)
    assert {name: (place / name).read_bytes() for name in own} == own and not (place / "manifest.json").exists()
    # Where nothing would be written over, an export may lie beside a person's files.
    for name in ("SHA256SUMS", "export.json"):
        (place / name).unlink(missing_ok=True)
    write_export(place, whole(piece, **{"manifest.json": b"{}"}), force=True)
    assert (place / "thesis.tex").read_bytes() == b"years of work"


def test_what_was_changed_since_an_export_is_kept_and_told(piece, place, capsys):
    out = place / "out"
    write_export(out, whole(piece, **{"a/tested.py": b"stub", "a/cases": b"1", "b/tested.py": b"stub"}), force=False)
    (out / "a" / "tested.py").write_bytes(b"my answer")
    with pytest.raises(CliError, match=r"tested\.py: was changed since it was exported; move it away"):
        write_export(out, whole(piece, **{"a/tested.py": b"stub"}), force=True)
    assert names(out) == ["SHA256SUMS", "a", "a/cases", "a/tested.py", "b", "b/tested.py", "export.json"]
    write_export(out, whole(piece, **{"c/tested.py": b"stub"}), force=True)
    assert names(out) == ["SHA256SUMS", "a", "a/tested.py", "b", "c", "c/tested.py", "export.json"]
    assert (out / "a" / "tested.py").read_bytes() == b"my answer"
    assert "1 file was changed since the former export and kept" in capsys.readouterr().err


def test_a_file_in_the_place_of_a_folder_is_told_before_anything_is_deleted(piece, place):
    out = place / "out"
    write_export(out, whole(piece, **{"a/old": b"x"}), force=False)
    (out / "b").write_text("mine")
    with pytest.raises(CliError, match="no file of an export"):
        write_export(out, whole(piece, **{"b/new": b"x"}), force=True)
    assert names(out) == ["SHA256SUMS", "a", "a/old", "b", "export.json"]


def test_an_export_that_was_broken_off_while_it_took_its_place_is_written_again(piece, place, monkeypatch):
    out = place / "out"
    write_export(out, whole(piece, **{"a/old": b"x"}), force=False)
    moved, real = [], Path.replace

    def replace(self, target):
        moved.append(target)
        if len(moved) > 3:
            raise OSError(28, "No space left on device", str(target))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(CliError, match="No space left"):
        write_export(out, whole(piece, one=b"1", two=b"2"), force=True)
    monkeypatch.undo()
    write_export(out, whole(piece, two=b"3"), force=True)
    assert names(out) == ["SHA256SUMS", "a", "export.json", "two"]


@pytest.mark.parametrize("broken", ["interrupt", "fault"])
def test_an_interrupted_command_leaves_nothing(piece, place, broken):
    def pieces():
        yield piece(path="a", data=b"x")
        raise KeyboardInterrupt if broken == "interrupt" else OSError(28, "No space left on device", "a")

    with pytest.raises(KeyboardInterrupt if broken == "interrupt" else CliError):
        write_export(place / "out", pieces(), force=False)
    assert names(place) == []


def test_an_export_into_the_folder_that_one_stands_in(piece, place, monkeypatch):
    (place / "out").mkdir()
    monkeypatch.chdir(place / "out")
    write_export(place / "out" / ".", [piece(path="a", data=b"x")], force=False)
    assert os.listdir() == ["a"] and names(place) == ["out", "out/a"]


def test_two_drafts_of_one_file_do_not_meet_and_nobodys_own_file_is_touched(place):
    out, mine = place / "log.json", place / "log.json.part"
    mine.write_text("mine")
    with draft_of(out, force=True) as first:
        first.write_text("first")
        with draft_of(out, force=False) as second:
            second.write_text("second")
        assert out.read_text() == "second" and first.read_text() == "first"
    assert (out.read_text(), mine.read_text()) == ("first", "mine")
    with contextlib.suppress(RuntimeError), draft_of(out, force=True) as broken:
        broken.write_text("half")
        raise RuntimeError
    with pytest.raises(CliError, match="is there already"), draft_of(place / "late", force=False):
        (place / "late").write_text("came meanwhile")
    assert (place / "late").read_text() == "came meanwhile"
    (place / "late").unlink()
    assert out.read_text() == "first" and names(place) == ["log.json", "log.json.part"]
    with pytest.raises(CliError, match="is there already"), draft_of(out, force=False):
        pass
    with pytest.raises(CliError, match="is no file"), draft_of(place, force=True):
        pass
    with pytest.raises(CliError, match="cannot be written"), draft_of(place / "no" / "x", force=False):
        pass
    (place / "any").write_text("")
    assert out.stat().st_mode == (place / "any").stat().st_mode


@pytest.mark.parametrize(
    ("command", "method"), [(("runs", "export", "aa"), "ListAnswers"), (("pairs", "export"), "ExportPairs")]
)
def test_no_command_writes_over_a_draft_that_is_not_its_own(touchstone, world, place, command, method):
    world.answers[method] = (grpc.StatusCode.UNAVAILABLE, "the store is away")
    (place / "x.part").write_text("mine")
    done = touchstone(*command, "--out", place / "x")
    assert done.code == 1 and (place / "x.part").read_text() == "mine"
    assert [name for name in names(place) if name.startswith(("x", "."))] == ["x.part"]
