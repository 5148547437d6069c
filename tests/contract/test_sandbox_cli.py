"""`touchstone sandbox`: the commands as they are written, without any running platform."""

import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from touchstone_local.settings import folders

TOUCHSTONE = str(Path(sys.executable).with_name("touchstone"))


@pytest.fixture
def touchstone(tmp_path):
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_ADDRESS")}

    def run(*arguments, **variables):
        return subprocess.run(
            [TOUCHSTONE, "sandbox", *arguments],
            cwd=tmp_path, env=environment | variables, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip

    return run


def test_cases_prints_a_verdict(touchstone, tmp_path):
    (tmp_path / "f.py").write_text("def f(x, y=0):\n    if x == 3: raise KeyError(x)\n    return [x + y]\n")
    (tmp_path / "in.jsonl").write_text('[1]\n{"x":2,"y":5}\n\n[3]\n[4]\n')
    (tmp_path / "out.jsonl").write_text('[1]\n{"$":"tuple","v":[7.0]}\n[3]\n[5]\n')
    done = touchstone(
        "cases",
        "--language",
        "python",
        "--entry",
        "f",
        "f.py",
        "--inputs",
        "in.jsonl",
        "--expected",
        "out.jsonl",
        "--json",
    )
    # What did not pass is no success.
    assert done.returncode == 1, done.stderr
    answer = json.loads(done.stdout)
    assert set(answer) == {"verdict", "cases", "failed", "wall_s", "cpu_s"}
    assert (answer["verdict"], answer["cases"]) == ("raised", 4)
    assert [(x["index"], x["outcome"]) for x in answer["failed"]] == [(2, "raised"), (3, "wrong_output")]
    assert 0 < answer["cpu_s"] < 5


def test_cases_without_expected_values_gives_the_values(touchstone, tmp_path):
    (tmp_path / "f.js").write_text("function f(x) { return [x, null]; }\nmodule.exports = { f };\n")
    (tmp_path / "in.jsonl").write_text("[1]\n")
    done = touchstone("cases", "--language", "javascript", "--entry", "f", "f.js", "--inputs", "in.jsonl", "--json")
    assert json.loads(done.stdout)["values"] == ["[1,null]"]


def test_run_prints_what_became_of_a_program(touchstone, tmp_path):
    (tmp_path / "p.py").write_text("import sys\nprint(input(), sys.argv[1:])\nsys.exit(4)\n")
    (tmp_path / "in").write_text("typed\n")
    common = ("run", "--language", "python", "p.py", "--stdin", "in", "--timeout", "20")
    done = touchstone(*common, "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert set(answer) >= {"outcome", "exit_code", "stdout", "stderr", "wall_s", "cpu_s", "memory_bytes"}
    assert (answer["outcome"], answer["exit_code"], answer["stdout"]) == ("exited", 4, "typed []\n")
    plain = touchstone(*common)
    assert (plain.returncode, plain.stdout) == (4, "typed []\n")


def test_describe_and_selftest(touchstone):
    described = json.loads(touchstone("describe", "--json").stdout)
    assert {x["language"] for x in described["languages"]} >= {"python", "javascript", "go"}
    local = next(x for x in described["backends"] if x["name"] == "local")
    assert local["available"], local["detail"]
    assert all(layer["in_force"] for layer in local["layers"] if layer["name"] != "landlock")
    tested = touchstone("selftest", "--json")
    assert tested.returncode == 0
    assert json.loads(tested.stdout)["passed"]


def test_lines_of_values_are_json_and_nothing_else(touchstone, tmp_path):
    """What a case gave is a line on standard output, whatever became of it; the summary goes to people."""
    (tmp_path / "f.py").write_text("def f(x):\n    if x == 2: raise KeyError(x)\n    return [x]\n")
    (tmp_path / "in.jsonl").write_text("[1]\n[2]\n[3]\n")
    done = touchstone("cases", "--language", "python", "--entry", "f", "f.py", "--inputs", "in.jsonl")
    values = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, values) == (1, [[1], {"$": "outcome", "v": "raised"}, [3]])
    assert "raised: 2 of 3 cases" in done.stderr
    (tmp_path / "broken.py").write_text("def f(x:\n")
    done = touchstone("cases", "--language", "python", "--entry", "f", "broken.py", "--inputs", "in.jsonl")
    assert done.returncode == 1 and "compile_error" in done.stderr


@pytest.mark.parametrize(
    ("lines", "words"),
    [("[1]\nnonsense\n", "in.jsonl:2"), ("3\n", "neither an array"), ('{"a":1,"a":2}\n', "occurs twice")],
)
def test_bad_input_is_one_line_that_names_the_thing(touchstone, tmp_path, lines, words):
    (tmp_path / "f.py").write_text("def f(): pass\n")
    (tmp_path / "in.jsonl").write_text(lines)
    done = touchstone("cases", "--language", "python", "--entry", "f", "f.py", "--inputs", "in.jsonl")
    assert done.returncode != 0
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_unknown_names_are_told(touchstone, tmp_path):
    (tmp_path / "p.py").write_text("")
    assert (
        "--language cobol: not known; one of python, javascript"
        in touchstone("run", "--language", "cobol", "p.py").stderr
    )
    assert "absent.py" in touchstone("run", "--language", "python", "absent.py").stderr
    assert "no such backend" in touchstone("run", "--language", "python", "p.py", "--backend", "docker").stderr


def test_datasets_are_files_or_digests(touchstone, tmp_path):
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    (tmp_path / "p.py").write_text("import os\nprint(sorted(os.listdir('/data')), open('/data/in/t').read()[:3])")
    done = touchstone(
        "run", "-l", "python", "p.py", "--dataset", "table.csv", "--dataset", "in/t=table.csv", "--timeout", "60"
    )
    assert (done.returncode, done.stdout) == (0, "['in', 'table.csv'] a,b\n"), done.stderr
    # What was stored once is named by its digest.
    digest = hashlib.sha256(b"a,b\n1,2\n").hexdigest()
    (tmp_path / "f.py").write_text("def f(): return open('/data/x').read()\n")
    (tmp_path / "in.jsonl").write_text("[]\n")
    cases = ("cases", "-l", "python", "--entry", "f", "f.py", "--inputs", "in.jsonl", "--dataset")
    done = touchstone(*cases, f"x={digest}", "--json")
    assert json.loads(done.stdout)["values"] == ['"a,b\\n1,2\\n"'], done.stderr
    absent = touchstone(*cases, f"x={'0' * 64}")
    assert absent.returncode == 1 and "add-dataset" in absent.stderr
    assert "nothing.csv" in touchstone(*cases, "nothing.csv").stderr
    assert not (tmp_path / ".state").exists()


def test_a_session_from_command_to_command(touchstone, tmp_path):
    refused = touchstone("session", "open")
    assert refused.returncode == 1
    assert "TOUCHSTONE_SANDBOX_ADDRESS" in refused.stderr
    address = f"unix:{tmp_path}/s.sock"
    server = subprocess.Popen(
        [sys.executable, "-m", "sandbox_executor", "serve", "--listen", address, "--no-broker"],
        env=os.environ | {"TOUCHSTONE_STATE_DIR": str(tmp_path), "TOUCHSTONE_TOOLCHAINS_DIR": str(folders().cache)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        while not (tmp_path / "s.sock").exists():
            assert server.poll() is None
            time.sleep(0.05)

        def session(*arguments):
            return touchstone("session", *arguments, TOUCHSTONE_SANDBOX_ADDRESS=address)

        (tmp_path / "rows").write_text("1 2 3")
        opened = session("open", "--idle", "300", "--dataset", "rows", "--json")
        assert opened.returncode == 0, opened.stderr
        answer = json.loads(opened.stdout)
        assert (answer["idle_timeout_s"], answer["lifetime_s"]) == (300, 3600)
        name = answer["session_id"]
        assert session("exec", name, "--", "cat", "/data/rows").stdout == "1 2 3"
        (tmp_path / "in.txt").write_text("words")
        assert session("write", name, "d/in.txt", "in.txt").returncode == 0
        (tmp_path / "step.py").write_text("open('out', 'w').write(open('d/in.txt').read().upper())")
        assert session("exec", name, "--source", "step.py").returncode == 0
        assert session("read", name, "out").stdout == "WORDS"
        assert json.loads(session("read", name, "out", "--json").stdout)["content"] == "WORDS"
        done = session("exec", name, "--json", "--", "sh", "-c", "cat out; exit 3")
        step = json.loads(done.stdout)
        assert (step["outcome"], step["exit_code"], step["stdout"]) == ("exited", 3, "WORDS")
        assert session("exec", name, "--", "sh", "-c", "exit 5").returncode == 5
        assert session("close", name).returncode == 0
        gone = session("exec", name, "--", "true")
        assert gone.returncode == 1
        assert "closed by its caller" in gone.stderr
    finally:
        server.terminate()
        server.wait(120)
