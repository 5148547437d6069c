"""`touchstone ci` where a name is defined several times, as under `if` and `try`: each is judged as what it is."""

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
