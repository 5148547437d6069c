"""A file takes its place when it is whole, under any name that a file may have."""

import os

import pytest

from touchstone_runtime.drafts import draft_beside


@pytest.mark.parametrize("name", ["labels.jsonl", ".hidden", "n" * 255, "ß" * 127, os.fsdecode(b"\xff\xfe")])
def test_what_is_whole_takes_its_place_and_what_is_broken_off_leaves_nothing(tmp_path, name):
    out = tmp_path / name
    with draft_beside(out) as draft:
        draft.write_text("first")
        assert not out.exists()
    with pytest.raises(TypeError), draft_beside(out) as draft, draft.open("w") as stream:
        stream.writelines(["half", None])
    assert out.read_text() == "first" and list(tmp_path.iterdir()) == [out]


def test_two_that_write_one_file_do_not_meet(tmp_path):
    out = tmp_path / "file"
    with draft_beside(out) as one, draft_beside(out) as other:
        one.write_text("one")
        other.write_text("other")
    assert out.read_text() == "one" and list(tmp_path.iterdir()) == [out]


def test_a_draft_is_never_readable_to_more_than_the_file(tmp_path):
    out = tmp_path / "secret"
    with draft_beside(out, 0o600) as draft:
        assert draft.stat().st_mode & 0o077 == 0
    assert out.stat().st_mode & 0o077 == 0


def test_on_a_full_disk_the_old_file_stands(tmp_path, monkeypatch):
    out = tmp_path / "file"
    out.write_text("old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"), draft_beside(out) as draft:
        draft.write_text("new")
    assert out.read_text() == "old" and list(tmp_path.iterdir()) == [out]
