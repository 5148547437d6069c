"""`touchstone sources add`: what is meant by a name, and what is refused."""

from __future__ import annotations

import pytest


@pytest.fixture
def ingester(world):
    world.answers["AddSource"] = lambda request: world.pb.ingester.AddSourceResponse(
        source=world.pb.ingester.Source(kind=request.source.kind, name=request.source.name, source_id="abcdef0123")
    )
    return world


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("boltons", "package"),
        ("https://example.org/a.git", "git"),
        ("git@example.org:a/b", "git"),
        ("{}/code", "folder"),
    ],
)
def test_the_kind_of_a_source_is_told_from_its_name(touchstone, ingester, tmp_path, name, kind):
    (tmp_path / "code").mkdir()
    done = touchstone("sources", "add", name.format(tmp_path), "--window-days", "30")
    assert done.code == 0, done.err
    (request,) = ingester.asked("AddSource")
    assert (request.source.kind, request.source.window_days) == (kind, 30)
    assert list(ingester.asked("Sync")[0].source_ids) == ["abcdef0123"]


def test_paths_are_made_absolute_and_must_exist(touchstone, ingester, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.tar.gz").write_bytes(b"")
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    touchstone("sources", "add", "./a.tar.gz", "--no-sync")
    touchstone("sources", "add", "./repo", "--no-sync")
    first, second = ingester.asked("AddSource")
    assert (first.source.kind, first.source.name) == ("archive", str(tmp_path / "a.tar.gz"))
    assert (second.source.kind, second.source.name) == ("git", str(tmp_path / "repo"))
    assert ingester.asked("Sync") == []
    missing = touchstone("sources", "add", "./nothing")
    assert (missing.code, missing.err) == (1, "./nothing: no such folder or archive; name one that is there\n")
    assert touchstone("sources", "add", "x", "--kind", "cvs").code == 2
    assert touchstone("sources", "add").code == 2


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        ("git", "./nothing", "./nothing: no such file or folder; name one that is there or the URL of a repository"),
        ("git", "nothing", "nothing: no such file or folder; name one that is there or the URL"),
        ("", "nothing.git", "nothing.git: no such file or folder; name one that is there or the URL"),
        ("git", "file:///no/such", "file:///no/such: no such file or folder"),
        ("git", "plain", "plain: is no git repository; --kind folder takes a folder as it is"),
        ("folder", "./nothing", "./nothing: no such file or folder; name one that is there\n"),
        ("folder", "a.zip", "a.zip: is a file and no folder; --kind archive takes an archive"),
        ("archive", "nothing.zip", "nothing.zip: no such file or folder; name one that is there\n"),
        ("archive", "plain", "plain: is a folder and no archive; --kind folder takes a folder as it is"),
        ("package", "./plain", "./plain: is a path and no name of a package; leave --kind out"),
        ("package", "./nothing", "'./nothing': no name of a package, and no path"),
    ],
)
def test_what_is_not_there_or_is_something_else_is_refused_with_the_way_out(
    touchstone, world, tmp_path, monkeypatch, kind, name, words
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain").mkdir()
    (tmp_path / "a.zip").write_bytes(b"")
    done = touchstone("sources", "add", *(("--kind", kind) if kind else ()), name)
    assert done.code in (1, 2) and words in done.err
    assert world.requests == []


def test_repositories_are_taken_by_path_and_by_address(touchstone, ingester, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tree" / ".git").mkdir(parents=True)
    (tmp_path / "bare" / "objects").mkdir(parents=True)
    (tmp_path / "bare" / "HEAD").write_text("ref: refs/heads/main\n")
    names = ("tree", "bare", f"file://{tmp_path}/tree", "https://example.org/x.git", "git@example.org:a/x")
    for name in names:
        assert touchstone("sources", "add", "--kind", "git", "--no-sync", name).code == 0
    taken = [request.source.name for request in ingester.asked("AddSource")]
    assert taken == [str(tmp_path / "tree"), str(tmp_path / "bare"), *names[2:]]
