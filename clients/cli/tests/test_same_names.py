"""`touchstone ci` and `classify`: a name that is defined several times, as under `if`, and code that lies in tests."""

import contextlib
import json
import os
import subprocess

TWICE = """\
import sys


if sys.version_info > (3, 0):

    def widen(values, by):
        total = []
        for value in values:
            if value > by:
                total.append(value + by)
        return total
else:

    def widen(values, by):
        total = []
        for value in values:
            if value < by:
                total.append(value - by)
        return total
"""


def git(folder, *arguments):
    who = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {"PATH": os.defpath, "HOME": str(folder), **who}
    subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True)


def test_each_definition_of_a_name_has_its_own_verdict_at_its_own_line(touchstone, tmp_path, monkeypatch):
    folder = tmp_path / "mine"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-qm", "one", "--allow-empty")
    git(folder, "checkout", "-qb", "topic")
    (folder / "twice.py").write_text(TWICE)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "two")

    def build(extracted, sandbox, *, no_llm, out=None):
        function = json.loads(extracted)["function"]
        released = "value + by" in function["code"]
        return {"released": released, "reason": "", "detail": "refused", "kind": "SC", "cases": 6}

    monkeypatch.setattr("touchstone_cli.ci.build", build)
    monkeypatch.setattr("touchstone_cli.ci.sandbox_address", lambda: contextlib.nullcontext("here"))
    told = json.loads(touchstone("ci", "--base", "main", "--folder", folder, "--json").out)
    assert [(one["line"], one["outcome"]) for one in told] == [(6, "task"), (14, "refused")]
    # Where only the first is new, the first is tried.
    git(folder, "commit", "-qm", "three", "--allow-empty")
    git(folder, "checkout", "-qb", "further")
    (folder / "twice.py").write_text(TWICE.replace("if value > by", "if value >= by"))
    told = json.loads(touchstone("ci", "--base", "topic", "--folder", folder, "--json").out)
    assert [(one["line"], one["outcome"]) for one in told] == [(6, "task")]


def test_tests_and_vendored_copies_hold_no_candidate_whichever_folder_is_named(touchstone, tmp_path):
    folder = tmp_path / "mine"
    for place in ("tests", "src/_vendor"):
        (folder / place).mkdir(parents=True)
        (folder / place / "twice.py").write_text(
            "def widen(value, by):\n    return value + by if value > by else value\n"
        )
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-qm", "one", "--allow-empty")
    git(folder, "checkout", "-qb", "topic")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "two")
    told = json.loads(touchstone("ci", "--base", "main", "--folder", folder, "--json").out)
    assert {(one["file"], one["outcome"], one["reason"]) for one in told} == {
        ("tests/twice.py", "no_candidate", "test_file"),
        ("src/_vendor/twice.py", "no_candidate", "vendored"),
    }
    for place, refused in (("tests", "test_file"), ("src/_vendor", "vendored"), ("src/_vendor/twice.py", "vendored")):
        rows = json.loads(touchstone("classify", folder / place, "--json").out)
        assert {row["rejected_by"] for row in rows} == {refused}
