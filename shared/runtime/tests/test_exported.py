"""What lies in the folder of an export beside its files."""

from __future__ import annotations

import os
from pathlib import Path

from touchstone_runtime.exported import LISTED, Stray, file_inside, listed_sums, stray_lines, strays_of

FILES = ("manifest.json", "parts/a", "parts/b", "x/y/z.json")


def export(folder: Path) -> Path:
    for path in FILES:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)
    return folder


def test_an_export_as_it_was_written_has_no_strays(tmp_path: Path) -> None:
    assert strays_of(export(tmp_path), FILES) == []
    # What is missing is no stray: others tell it.
    assert strays_of(tmp_path, [*FILES, "more/of/it"]) == []


def test_each_kind_of_stray_is_told_once(tmp_path: Path) -> None:
    export(tmp_path)
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "inner").write_text("x")
    (tmp_path / "x" / "other").symlink_to("/nowhere")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "parts" / "a").unlink()
    (tmp_path / "parts" / "a").mkdir()
    (tmp_path / "parts" / "b").unlink()
    (tmp_path / "parts" / "b").symlink_to(tmp_path / "manifest.json")
    assert {stray.path: stray.words for stray in strays_of(tmp_path, FILES)} == {
        ".hidden": "is a folder that is no part of the release",
        "parts/a": "is a folder where the release has a file",
        "parts/b": "is a link where the release has a file",
        "pipe": "is a pipe, socket or device that is no part of the release",
        "x/other": "is a link that is no part of the release",
    }


def test_a_folder_that_is_a_link_is_told_and_not_entered(tmp_path: Path) -> None:
    export(tmp_path / "out")
    (tmp_path / "out" / "x").rename(tmp_path / "x")
    (tmp_path / "out" / "x").symlink_to(tmp_path / "x")
    assert strays_of(tmp_path / "out", FILES) == [Stray("x", "is a link where the release has a folder")]


def test_names_that_are_no_text_are_told(tmp_path: Path) -> None:
    export(tmp_path)
    (tmp_path / os.fsdecode(b"\xff\n")).write_text("x")
    (stray,) = strays_of(tmp_path, FILES)
    assert stray.path == "\udcff\n"


def test_many_strays_are_counted() -> None:
    strays = [Stray(str(number), "is odd") for number in range(LISTED + 2)]
    lines = stray_lines("out", strays)
    assert lines[0] == "out/0 is odd" and lines[-1] == "out holds 2 more that are no part of it"
    assert len(lines) == LISTED + 1
    assert stray_lines("out", strays[: LISTED + 1])[-1] == "out holds 1 more that is no part of it"
    assert stray_lines("out", []) == []


def test_a_list_of_checksums_gives_digests_and_paths_whoever_wrote_it() -> None:
    assert listed_sums(b"12ab  x/y z.json\n\xff  a  b\nnothing\n") == [
        ("12ab", "x/y z.json"), ("\ufffd", "a  b"), ("nothing", ""),
    ]  # fmt: skip


def test_a_file_is_found_inside_only(tmp_path: Path) -> None:
    export(tmp_path / "out")
    (tmp_path / "secret").write_text("s")
    folder = (tmp_path / "out").resolve()
    assert file_inside(folder, "parts/a") == folder / "parts" / "a"
    assert [file_inside(folder, path) for path in ("../secret", "/etc/passwd", "parts", "a\0", "y" * 5000)] == [
        None
    ] * 5
