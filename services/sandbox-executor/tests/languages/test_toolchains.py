"""Finding runtimes and building once."""

import sysconfig
from pathlib import Path

import pytest

from sandbox_executor.adapters.toolchains import RuntimePaths, Toolchains, java, npm
from sandbox_executor.adapters.toolchains.building import content_key, run_tool
from sandbox_executor.adapters.toolchains.runtimes import Runtime
from sandbox_executor.errors import JobRefusedError, SandboxFaultError
from touchstone_local.settings import folders

HARNESS = Path(__file__).resolve().parents[2] / "src" / "sandbox_executor" / "harness"


def test_a_key_follows_content_and_facts(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("1")
    first = content_key([file], "v1")
    assert content_key([file], "v1") == first
    assert content_key([file], "v2") != first
    file.write_text("2")
    assert content_key([file], "v1") != first


def test_the_key_is_the_same_wherever_the_files_lie(tmp_path: Path) -> None:
    keys = set()
    for compiler, sources in (("a", "b"), ("c", "b")):
        files = [tmp_path / compiler / "compiler.jar", tmp_path / sources / "Main.java"]
        for file in files:
            file.parent.mkdir(exist_ok=True)
            file.write_text(file.name)
        keys.add(content_key(files, "v1"))
    assert len(keys) == 1


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
    with pytest.raises(JobRefusedError, match="TOUCHSTONE_ECJ_JAR"):
        toolchains.places("java")
    (status,) = [status for status in toolchains.statuses() if status.name == "java"]
    assert not status.available
    assert "TOUCHSTONE_ECJ_JAR" in status.detail


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "sandbox").write_text("no folder")
    toolchains = Toolchains(tmp_path, HARNESS, RuntimePaths())
    with pytest.raises(SandboxFaultError, match="what go needs is not there"):
        toolchains.places("go")
    (status,) = [status for status in toolchains.prepare_all() if status.name == "go"]
    assert not status.available and "TOUCHSTONE_TOOLCHAINS_DIR" in status.detail


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


def test_javas_version_tells_the_level_of_the_language(toolchains: Toolchains, tmp_path: Path) -> None:
    (status,) = [status for status in toolchains.statuses() if status.name == "java"]
    assert status.version == java.told_version(toolchains._runtime("java"))
    for version, told in (("21.0.4", "21.0.4"), ("99.0.1", f"99.0.1, language level {java.NEWEST_LEVEL}")):
        assert java.told_version(Runtime("java", tmp_path / "java", None, version)) == told
    compiler = (HARNESS / "java" / "touchstone" / "CandidateCompiler.java").read_text()
    assert f" NEWEST = {java.NEWEST_LEVEL};" in compiler


def test_every_language_is_there(toolchains: Toolchains) -> None:
    """No language depends on what a machine happens to have: each runtime is brought."""
    assert [status.name for status in toolchains.statuses() if not status.available] == []
    ours = (Path(sysconfig.get_path("purelib")).resolve(), folders().cache)
    for name in ("node", "java", "go", "php"):
        executable = toolchains._runtime(name).executable
        assert any(executable.is_relative_to(folder) for folder in ours), executable


def test_a_package_that_cannot_be_fetched_or_is_another_one_is_refused(tmp_path: Path, toolchains: Toolchains) -> None:
    node = toolchains._runtime("node")
    with pytest.raises(JobRefusedError, match=r"(?s)it cannot be fetched: .*the way out"):
        npm.unpack(node, str(tmp_path / "absent.tgz"), "0" * 128, tmp_path, "the way out")
    (tmp_path / "package.json").write_text('{"name": "another", "version": "1.0.0"}')
    (tmp_path / "scratch").mkdir()
    with pytest.raises(JobRefusedError, match="another checksum"):
        npm.unpack(node, str(tmp_path), "0" * 128, tmp_path / "scratch", "the way out")


def test_php_that_is_not_fetched_yet_is_said(tmp_path: Path) -> None:
    toolchains = Toolchains(tmp_path, HARNESS, RuntimePaths())
    (status,) = [status for status in toolchains.statuses() if status.name == "php"]
    assert status.available
    assert "not fetched yet" in status.detail
