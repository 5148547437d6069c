"""Building once, and going on with what was interrupted."""

import threading
from pathlib import Path

import pytest

from touchstone_runtime.building import GoProgram, build_go, build_once
from touchstone_runtime.errors import RetryableError


def test_a_folder_is_built_once(tmp_path: Path) -> None:
    built: list[int] = []

    def build(folder: Path) -> None:
        built.append(1)
        (folder / "file").write_text("made")

    target = tmp_path / "deep" / "thing-1"
    threads = [threading.Thread(target=build_once, args=(target, build)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert built == [1]
    assert (target / "file").read_text() == "made"


def test_a_failed_build_leaves_nothing(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").write_text("half")
        raise RetryableError("no")

    with pytest.raises(RetryableError):
        build_once(tmp_path / "thing", fail)
    assert [path.name for path in tmp_path.iterdir()] == [".thing.lock"]
    (tmp_path / ".thing.draft-1").mkdir()
    build_once(tmp_path / "thing", lambda folder: None)
    assert {path.name for path in tmp_path.iterdir()} == {".thing.lock", "thing"}


def module(tmp_path: Path) -> Path:
    folder = tmp_path / "module"
    folder.mkdir()
    (folder / "go.mod").write_text("module x\n")
    return folder


def go_that(tmp_path: Path, script: str) -> Path:
    program = tmp_path / "go"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program


FAILS_ONCE = """
[ "$1" = list ] && { echo true; echo true; echo false; exit; }
mkdir -p "$GOCACHE"
[ -f "$GOCACHE/compiled" ] || { echo half >"$GOCACHE/compiled"; echo "connection reset" >&2; exit 1; }
while [ "$1" != -o ]; do shift; done
echo made >"$2"
"""


def test_an_interrupted_build_goes_on_where_it_stopped(tmp_path: Path) -> None:
    program = GoProgram("Thing", "v1", module(tmp_path), "example/thing", "thing", disk_bytes=0, setting="X_THING")
    go = go_that(tmp_path, FAILS_ONCE)
    said: list[str] = []
    with pytest.raises(RetryableError, match=r"connection reset.*what is done is kept.*X_THING"):
        build_go(program, tmp_path / "cache", go, {}, said.append)
    assert not program.place(tmp_path / "cache").exists()
    target = build_go(program, tmp_path / "cache", go, {}, said.append)
    assert target.read_text() == "made\n"
    assert "Thing: going on with an earlier build" in said
    # What the build needed is gone, what it made is not made again.
    assert [path.name for path in target.parent.parent.iterdir() if path.name.endswith(".work")] == []
    assert build_go(program, tmp_path / "cache", tmp_path / "no go", {}, said.append) == target


def test_who_is_stopped_behind_a_build_loses_nothing_and_what_it_needed_goes_with_the_next_call(tmp_path: Path) -> None:
    program = GoProgram("Thing", "v1", module(tmp_path), "example/thing", "thing", disk_bytes=0)
    go = go_that(tmp_path, FAILS_ONCE.replace("exit 1", "true"))
    cache = tmp_path / "cache"

    def stopped(words: str) -> None:
        if words.endswith("is built"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_go(program, cache, go, {}, stopped)
    target = program.place(cache)
    assert target.read_text() == "made\n"
    # Gigabytes are not removed in a moment: it may have been stopped in the middle of that.
    left = target.parent.with_name(f".{target.parent.name}.work") / "modules"
    left.mkdir(parents=True, exist_ok=True)
    assert build_go(program, cache, tmp_path / "no go", {}, stopped) == target
    assert not left.parent.exists()


SEVERAL = """
[ "$1" = list ] && { echo true; exit; }
while [ "$1" != -o ]; do shift; done
folder=$2; shift 2
for package; do echo "$package" >"$folder/${package##*/}"; done
"""


def test_several_programs_of_one_module_are_built_at_once(tmp_path: Path) -> None:
    program = GoProgram(
        "Thing", "v1", module(tmp_path), "example/cmd/one", "one", disk_bytes=0, others=("example/cmd/two",)
    )
    target = build_go(program, tmp_path / "cache", go_that(tmp_path, SEVERAL), {}, lambda _said: None)
    assert target.read_text() == "example/cmd/one\n"
    assert target.with_name("two").read_text() == "example/cmd/two\n"


def test_too_little_room_is_said_before_anything_is_fetched(tmp_path: Path) -> None:
    program = GoProgram("Thing", "v1", module(tmp_path), "example/thing", "thing", disk_bytes=1 << 60)
    with pytest.raises(RetryableError, match="TOUCHSTONE_CACHE"):
        build_go(program, tmp_path / "cache", tmp_path / "no go", {}, lambda _: None)


def test_a_relative_cache_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Go refuses relative folders."""
    monkeypatch.chdir(tmp_path)
    program = GoProgram("Thing", "v1", module(tmp_path), "example/thing", "thing", disk_bytes=0)
    script = """
[ "$1" = list ] && exit
case "$GOPATH" in /*) ;; *) exit 9;; esac
while [ "$1" != -o ]; do shift; done
echo made >"$2"
"""
    target = build_go(program, Path("cache"), go_that(tmp_path, script), {}, lambda _: None)
    assert target == tmp_path / "cache" / "bin" / "thing-v1" / "thing"
