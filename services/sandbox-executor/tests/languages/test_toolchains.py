"""Finding runtimes and building once."""

import threading
from pathlib import Path

import pytest

from sandbox_executor.adapters.toolchains import RuntimePaths, Toolchains
from sandbox_executor.adapters.toolchains.building import build_once, content_key, run_tool
from sandbox_executor.errors import JobRefusedError, SandboxFaultError

HARNESS = Path(__file__).resolve().parents[2] / "src" / "sandbox_executor" / "harness"


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
        raise SandboxFaultError("no")

    with pytest.raises(SandboxFaultError):
        build_once(tmp_path / "thing", fail)
    assert [path.name for path in tmp_path.iterdir()] == [".thing.lock"]
    (tmp_path / ".thing.draft-1").mkdir()
    build_once(tmp_path / "thing", lambda folder: None)
    assert {path.name for path in tmp_path.iterdir()} == {".thing.lock", "thing"}


def test_a_key_follows_content_and_facts(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("1")
    first = content_key([file], "v1")
    assert content_key([file], "v1") == first
    assert content_key([file], "v2") != first
    file.write_text("2")
    assert content_key([file], "v1") != first


def test_a_tool_that_fails_is_named_with_its_words() -> None:
    with pytest.raises(SandboxFaultError, match="words of the tool"):
        run_tool(["/bin/sh", "-c", "echo words of the tool >&2; exit 3"])
    with pytest.raises(SandboxFaultError, match="does not run"):
        run_tool(["/does/not/exist"])
    assert run_tool(["/usr/bin/env", "-u", "X"], environment={"Y": "1"}).count("\n") == 4


@pytest.mark.parametrize(
    ("language", "paths", "words"),
    [
        ("javascript", {"node": Path("/absent/node")}, "TOUCHSTONE_NODE"),
        ("java", {"java_home": Path("/absent")}, "TOUCHSTONE_JAVA_HOME"),
        ("go", {"go_root": Path("/absent")}, "TOUCHSTONE_GO_ROOT"),
        ("php", {"php": Path("/absent/php")}, "php-cli"),
    ],
)
def test_a_missing_runtime_is_said_to_be_missing(language: str, paths: dict, words: str, tmp_path: Path) -> None:
    toolchains = Toolchains(tmp_path, HARNESS, RuntimePaths(**paths))
    (status,) = [status for status in toolchains.statuses() if status.name == language]
    assert not status.available
    assert words in status.detail
    with pytest.raises(JobRefusedError, match="no "):
        toolchains.places(language)
    runtime = {"javascript": "node"}.get(language, language)
    assert f"/runtime/{runtime}" not in dict(toolchains.binds()).values()


def test_a_missing_compiler_for_java_is_said(tmp_path: Path) -> None:
    toolchains = Toolchains(tmp_path, HARNESS, RuntimePaths(ecj_jar=Path("/absent.jar")))
    for status in toolchains.statuses():
        if status.name == "java" and not status.available:
            pytest.skip(status.detail)
    with pytest.raises(JobRefusedError, match="TOUCHSTONE_ECJ_JAR"):
        toolchains.places("java")
    (status,) = [status for status in toolchains.statuses() if status.name == "java"]
    assert not status.available
    assert "TOUCHSTONE_ECJ_JAR" in status.detail


def test_versions_are_read(toolchains: Toolchains) -> None:
    for status in toolchains.statuses():
        assert status.available == bool(status.version), status
        assert status.available or status.detail
    assert {status.name for status in toolchains.statuses()} == {
        "python",
        "javascript",
        "typescript",
        "java",
        "go",
        "php",
    }
