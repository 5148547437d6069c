"""What is fetched and built before the tests."""

import subprocess
from functools import partial
from pathlib import Path

import pytest

from touchstone_local import models, promtool, tools, weaviate
from touchstone_local.errors import LocalError
from touchstone_local.settings import checkout
from touchstone_local.tools import Tool


def failing(_tell):
    raise LocalError("the network is away", thing="b", way_out="mend it")


def test_one_that_cannot_be_had_does_not_keep_the_others_away(capsys):
    had = []
    problems = tools.have(
        [
            Tool("a", "a thing", lambda: True, failing),
            Tool("b", "b thing", lambda: False, failing),
            Tool("c", "c thing", None, lambda tell: (tell("half"), had.append("c"))),
        ]
    )
    assert problems == ["b: b: the network is away; mend it"]
    assert had == ["c"]
    printed = capsys.readouterr()
    assert "a: here" in printed.out and "c: here after" in printed.out
    assert "the network is away" in printed.err


def test_an_unknown_name_is_refused_with_those_that_are_known(folders, capsys):
    with pytest.raises(SystemExit) as ended:
        tools.main(["klingon"])
    assert ended.value.code == 2
    assert (
        "unknown: klingon; known are ecj, kafka, qwen2.5-coder-0.5b, qwen2.5-coder-1.5b, all-MiniLM-L6-v2, "
        "all-mpnet-base-v2, conversion, chromium, vscode, languages, gvisor, promtool, resources, weaviate"
        in capsys.readouterr().err
    )


def test_what_a_text_tells_to_have_by_name_is_known(folders):
    told = subprocess.run(
        ["git", "grep", "-hoP", r'make tools TOOLS=("\K[^"]+|\K[\w.-]+)'],
        cwd=checkout(), capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert {"qwen2.5-coder-0.5b", "weaviate"} <= set(told) <= {tool.name for tool in tools.catalogue(folders)}


def test_what_no_test_needs_is_had_by_name_only(folders):
    chat = {model.name for model in models.catalogue().values() if model.kind == "chat"}
    assert chat <= {tool.name for tool in tools.catalogue(folders) if tool.by_name}


def test_what_is_had_by_name_only_is_left_out_of_all(folders, monkeypatch):
    had = []
    tool = partial(tools.Tool, what="", there=None)
    known = [tool("a", get=lambda _tell: had.append("a")), tool("b", get=lambda _tell: had.append("b"), by_name=True)]
    monkeypatch.setattr(tools, "catalogue", lambda _here: known)
    assert tools.main([]) == 0 and had == ["a"]
    assert tools.main(["b"]) == 0 and had == ["a", "b"]


def test_a_process_that_fails_is_told_with_its_words(folders):
    with pytest.raises(LocalError, match=r"invalid choice: .no-such-command"):
        tools._service("sandbox_executor", "no-such-command", folders, lambda _: None)


@pytest.mark.parametrize(("tool", "name"), [(weaviate, "TOUCHSTONE_WEAVIATE"), (promtool, "TOUCHSTONE_PROMTOOL")])
def test_a_named_program_is_used_and_one_that_is_not_there_is_said(folders, monkeypatch, tool, name):
    monkeypatch.setenv(name, "/absent/program")
    with pytest.raises(LocalError, match=f"{name}=/absent/program"):
        tool.find(folders.cache)
    monkeypatch.setenv(name, "/bin/true")
    assert tool.ensure(folders.cache, print) == Path("/bin/true")


def test_a_server_that_ends_at_once_is_told_with_its_last_words(tmp_path):
    program = tmp_path / "server"
    program.write_text("#!/bin/sh\necho no room on this disk; exit 3\n")
    program.chmod(0o755)
    with pytest.raises(LocalError, match="no room on this disk"):
        weaviate.start(tmp_path / "data", program)


def test_the_module_of_weaviate_pins_what_is_built():
    text = (weaviate.PROGRAM.module / "go.mod").read_text()
    assert f"github.com/weaviate/weaviate {weaviate.PROGRAM.version}" in text
    assert (
        f"github.com/weaviate/weaviate {weaviate.PROGRAM.version} h1:"
        in (weaviate.PROGRAM.module / "go.sum").read_text()
    )


def test_several_platforms_share_models_where_they_share_a_cache(tmp_path, monkeypatch):
    from touchstone_local import settings

    monkeypatch.setenv("TOUCHSTONE_STATE", str(tmp_path / "state"))
    monkeypatch.delenv("TOUCHSTONE_CACHE", raising=False)
    assert settings.folders().models == tmp_path / "state" / "models"
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path / "cache"))
    assert settings.folders().models == tmp_path / "cache" / "models"


def test_what_is_soon_past_is_told_now_and_then(monkeypatch):
    at = iter([5.0, 5.1, 14.9, 15.0, 16.0])
    monkeypatch.setattr(tools.time, "monotonic", lambda: next(at))
    told = []
    seldom = tools.seldom(told.append)
    for number in range(5):
        seldom(f"{number} kB")
    assert told == ["0 kB", "3 kB"]
