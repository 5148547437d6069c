"""What every command has in common: one mould of errors, no traceback, exit codes, closed lists, quiet, completion."""

import io
import json
import re
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest
import typer

from touchstone_cli import completion, explain, main, output
from touchstone_cli.errors import CliError


def command(*arguments):
    """The command as a process, as a shell starts it."""
    return subprocess.run(
        [sys.executable, "-m", "touchstone_cli.main", *arguments], capture_output=True, text=True,
        check=False, timeout=120,
    )  # fmt: skip


@pytest.fixture
def failing(monkeypatch):
    """Makes `touchstone funnel` fail with an error of the test's choice."""

    def plan(error):
        def fail():
            raise error

        monkeypatch.setattr("touchstone_cli.funnel.funnel", fail)

    return plan


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (KeyError("x"), 70, "touchstone failed: KeyError: 'x'; this is a defect of ours, details are in "),
        (MemoryError(), 70, "touchstone failed: out of memory; "),
        (RecursionError("too deep"), 70, "touchstone failed: RecursionError: too deep; "),
        (
            AttributeError("'NoneType' object\nhas no attribute"),
            70,
            "AttributeError: 'NoneType' object has no attribute",
        ),
        (FileExistsError(17, "File exists", "out"), 1, "out: File exists\n"),
        (PermissionError(13, "Permission denied", "/root/x"), 1, "/root/x: Permission denied\n"),
        (CliError("no such thing", exit_code=2), 2, "no such thing\n"),
        (KeyboardInterrupt(), 130, "interrupted; "),
    ],
)
def test_whatever_goes_wrong_is_one_line_and_an_exit_code(touchstone, failing, error, code, words, tmp_path):
    failing(error)
    done = touchstone("funnel")
    assert done.code == code
    assert words in done.err and len(done.err.splitlines()) == 1 and "Traceback" not in done.err
    log = tmp_path / "state" / "logs" / "touchstone.log"
    assert log.exists() == (code == 70)
    if code == 70:
        assert "Traceback" in log.read_text()


def test_a_traceback_is_shown_to_whom_it_is_for(touchstone, failing, monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_TRACEBACK", "1")
    failing(KeyError("x"))
    assert "Traceback" in touchstone("funnel").err


def test_who_reads_only_the_first_line_gets_no_complaint(tmp_path):
    script = f"set -o pipefail; {sys.executable} -m touchstone_cli.main explain --json | head -1; echo code $?"
    done = subprocess.run(["/bin/bash", "-c", script], capture_output=True, text=True, check=False, timeout=120)
    assert done.stderr == ""
    assert done.stdout.splitlines()[0] == "["
    # The text fits into the pipe, or the pipe was closed before: both are no fault.
    assert done.stdout.splitlines()[1] in ("code 0", "code 141")


def test_a_pipe_that_is_closed_from_the_start_is_no_fault():
    code = textwrap.dedent("""
        import os, sys
        read, write = os.pipe()
        os.close(read)
        os.dup2(write, 1)
        sys.argv = ["touchstone", "explain", "--json"]
        from touchstone_cli.main import main
        main()
    """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("arguments", [(), ("tasks",), ("tasks", "show"), ("sandbox", "cases"), ("explain",)])
def test_help_is_there_by_either_name(touchstone, arguments, flag):
    done = touchstone(*arguments, flag)
    assert done.code == 0 and "Usage: touchstone" in done.out


def test_the_version_is_told_and_exit_codes_are_documented(touchstone):
    assert touchstone("--version").out.startswith("touchstone 0.")
    assert "Exit codes: 0 done, 1 it cannot be done" in touchstone("--help").out


def test_quiet_leaves_results_and_errors(touchstone, world):
    world.answers["ListTasks"] = world.pb.generator.ListTasksResponse(refused=7)
    loud, quiet = touchstone("tasks", "list"), touchstone("--quiet", "tasks", "list")
    assert "7 candidates were refused" in loud.err
    assert (quiet.out, quiet.err) == (loud.out, "")
    assert "not known" in touchstone("--quiet", "tasks", "list", "--kind", "XX").err
    output.be_quiet(False)


@pytest.mark.parametrize(
    "arguments",
    [
        ("tasks", "list", "--kind", "XX"),
        ("tasks", "list", "--difficulty", "XX"),
        ("tasks", "refused", "--reason", "XX"),
        ("release", "create", "r", "--kind", "XX"),
        ("release", "create", "r", "--language", "klingon"),
        ("release", "verify", "r", "--language", "klingon"),
        ("release", "export", "r", "--out", "o", "--format", "floppy"),
        ("leaderboard", "--language", "klingon"),
        ("evaluate", "--language", "klingon"),
        ("ablation", "--language", "klingon"),
        ("annotate", "--query", "q", "--code", "pyproject.toml", "--language", "klingon"),
        ("sources", "add", "x", "--kind", "cvs"),
        ("search", "q", "--language", "klingon"),
        ("search", "q", "--mode", "guess"),
        ("search", "q", "--kind", "guess"),
        ("pairs", "list", "--language", "klingon"),
        ("sandbox", "prepare", "x==1", "--language", "go"),
        ("completion", "csh"),
    ],
)
def test_a_value_that_is_not_known_is_refused_with_those_that_are(touchstone, world, arguments):
    done = touchstone(*arguments)
    assert done.code == 2 and done.out == ""
    assert f"{arguments[-1]}: not known; one of " in done.err
    # Nothing was asked of a service.
    assert world.requests == []


def test_every_option_with_a_closed_list_is_checked():
    """A new command with --language, --kind or --strategy must be among those above."""
    covered = {
        ("tasks list", "--kind"), ("release create", "--kind"), ("release create", "--language"),
        ("release verify", "--language"), ("leaderboard", "--language"), ("evaluate", "--language"),
        ("evaluate", "--strategy"), ("ablation", "--strategy"),
        ("ablation", "--language"), ("sources add", "--kind"), ("sandbox run", "--language"),
        ("sandbox cases", "--language"), ("sandbox prepare", "--language"), ("annotate", "--language"),
        ("search", "--language"), ("search", "--kind"), ("pairs list", "--language"),
    }  # fmt: skip
    found = set()
    for name in main.ENTRIES:
        loaded = main.load(name)
        for inner, each in (getattr(loaded, "commands", None) or {"": loaded}).items():
            for parameter in each.params:
                for option in {"--language", "--kind", "--strategy"} & set(parameter.opts):
                    found.add((f"{name} {inner}".strip(), option))
    assert found - covered == set()


@pytest.mark.parametrize(
    ("line", "position", "expected", "absent"),
    [
        ("touchstone rel", 1, ["release"], "run"),
        ("touchstone release ver", 2, ["verify"], "export"),
        ("touchstone release verify --l", 3, ["--language"], "verify"),
        ("touchstone ", 1, ["run", "explain", "--version"], "verify"),
        ("touchstone nonsense x", 2, [], "run"),
    ],
)
def test_words_are_completed(line, position, expected, absent):
    found = completion.words_for(line.split(), position)
    assert set(expected) <= set(found) and absent not in found


def test_bash_completes_by_the_printed_lines(tmp_path):
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "touchstone").write_text(f'#!/bin/sh\nexec {sys.executable} -m touchstone_cli.main "$@"\n')
    (folder / "touchstone").chmod(0o755)
    script = """
eval "$(touchstone completion bash)"
COMP_WORDS=(touchstone release ver); COMP_CWORD=2
_touchstone_completion
echo "${COMPREPLY[@]}"
"""
    done = subprocess.run(
        ["/bin/bash", "-c", f"PATH={folder}:$PATH\n{script}"], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout == "verify\n"


@pytest.mark.parametrize("option", ["--classes", "--versions", "--step", "--generation", "text or crowding"])
def test_the_help_of_search_names_what_its_guide_names(touchstone, option):
    assert option in " ".join(touchstone("search", "-h").out.split())


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--colour",), "touchstone: no such option: --colour; see `touchstone --help`"),
        (("nonsense",), "touchstone: no such command 'nonsense'; see `touchstone --help`"),
        (("evaluat",), "touchstone: no such command 'evaluat'; did you mean 'evaluate'? See `touchstone --help`"),
        (("tasks", "nonsense"), "touchstone tasks: no such command 'nonsense'; see `touchstone tasks --help`"),
        (
            ("tasks", "list", "--colour"),
            "touchstone tasks list: no such option: --colour; see `touchstone tasks list --help`",
        ),
        (("tasks", "show"), "touchstone tasks show: missing argument 'ID'; see `touchstone tasks show --help`"),
        (
            ("search", "q", "-n", "many"),
            "touchstone search: invalid value for '--limit' / '-n': 'many' is not a valid int",
        ),
        (
            ("evaluate", "--limit", "-1"),
            "touchstone evaluate: invalid value for '--limit': -1 is not in the range x>=0",
        ),
        (("evaluate", "--temperature", "3"), "touchstone evaluate: invalid value for '--temperature': 3.0 is not in"),
        (
            ("ablation", "--limit", "-1"),
            "touchstone ablation: invalid value for '--limit': -1 is not in the range x>=0",
        ),
    ],
)
def test_what_was_not_understood_is_one_line_like_any_other_error(touchstone, arguments, line):
    done = touchstone(*arguments)
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert done.err.startswith(line)


def test_a_command_with_others_inside_shows_its_help_when_called_alone(touchstone):
    for arguments in ((), ("tasks",), ("sandbox", "session")):
        done = touchstone(*arguments)
        assert "Usage: touchstone" in done.out + done.err and "see `" not in done.err


# What a count stands before, and how it looks where somebody forgot that there may be one of it.
NOUNS = (
    "tasks functions candidates sources files lines cases programs bytes problems warnings verdicts answers messages "
    "pairs processes packages queries"
)
UNCOUNTED = re.compile(rf"\}} (?:\w+ed )?({'|'.join(NOUNS.split())})\b")


def test_no_sentence_counts_without_its_noun_in_both_numbers():
    found = [
        f"{path.name}:{number}: {line.strip()}"
        for path in sorted(Path(main.__file__).parent.glob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if UNCOUNTED.search(line)
    ]
    # Of two or more by what was asked before.
    several = ("are called so", "sources fit", "bytes are more than", "_sampled(row)")
    assert [each for each in found if not any(words in each for words in several)] == []


def test_waiting_is_told_once_it_takes_long_and_quiet_says_nothing():
    over = threading.Event()

    class Wakes(io.StringIO):
        def write(self, text):
            over.set()
            return super().write(text)

    stream, sys.stderr = sys.stderr, Wakes()
    try:
        with output.waiting("a model reads", first_s=0.0, every_s=0.01):
            assert over.wait(60)
        assert sys.stderr.getvalue().startswith("a model reads … 0 s")
        sys.stderr = io.StringIO()
        with output.waiting("a model reads"):
            pass
        assert sys.stderr.getvalue() == ""
        output.be_quiet(True)
        output.say_progress("half", redrawn=True)
        assert sys.stderr.getvalue() == ""
    finally:
        output.be_quiet(False)
        sys.stderr = stream


# -- explain ------------------------------------------------------------------------------------------------------


def test_a_reason_is_explained_however_it_is_written(touchstone):
    for name in ("coverage_incomplete", "coverage-incomplete", "Coverage incomplete"):
        done = touchstone("explain", name)
        assert done.code == 0 and "A branch was not reached" in done.out and "→" in done.out
    assert json.loads(touchstone("explain", "timed_out", "--json").out)["kind"] == "outcome"
    assert len(json.loads(touchstone("explain", "--json").out)) == len(explain.catalogue())
    done = touchstone("explain", "coverage_incomplet")
    assert (done.code, done.err) == (2, "coverage_incomplet: not known; did you mean coverage_incomplete?\n")


# -- what was met by newcomers ------------------------------------------------------------------------------------


def test_a_source_is_waited_for_and_its_failure_is_an_exit_code(touchstone, world, monkeypatch):
    monkeypatch.setattr("touchstone_cli.sources._LOOK_AGAIN_S", 0.0)
    pb = world.pb.ingester
    world.answers["AddSource"] = lambda request: pb.AddSourceResponse(
        source=pb.Source(kind="package", name=request.source.name, source_id="abc")
    )

    def state(name, detail=""):
        source = pb.Source(kind="package", name="nosuch", source_id="abc", state=name, detail=detail, functions=1)
        return pb.ListSourcesResponse(sources=[source])

    world.answers["ListSources"] = [state("waiting"), state("waiting"), state("failed", "no such package")]
    done = touchstone("sources", "add", "nosuch", "--wait")
    assert done.code == 1 and "failed: no such package" in done.out
    world.answers["ListSources"] = [state("waiting"), state("ingested")]
    done = touchstone("sources", "add", "nosuch", "--wait")
    assert done.code == 0 and "ingested, 1 function\n" in done.out
    done = touchstone("sources", "add", "nosuch")
    assert done.code == 0 and "--wait waits for it" in done.err and "whether it was, or why not" in done.err


def test_refused_candidates_are_listed_with_their_reasons(touchstone, world):
    pb = world.pb.generator
    place = world.pb.code.CodeLocation(repository="boltons", version="25.0", path="a.py", line_start=3, qualname="A.f")
    refusal = pb.Refusal(kind="SC", entry_point="f", location=place, reason="identity", detail="always x")
    world.answers["ListRefusals"] = pb.ListRefusalsResponse(refusals=[refusal, refusal])
    done = touchstone("tasks", "refused", "--reason", "Identity", "--limit", "1")
    assert done.out.splitlines()[1].split("\t") == ["identity", "SC", "A.f", "boltons 25.0", "a.py:3", "always x"]
    assert "1 candidate, the newest 1 only" in done.err
    (request,) = world.asked("ListRefusals")
    # One more than is shown tells whether there are more.
    assert (request.reason, request.limit) == ("identity", 2)
    assert json.loads(touchstone("tasks", "refused", "--json").out)[0]["location"]["path"] == "a.py"


def test_what_is_no_name_of_a_package_is_refused_at_once(touchstone, world):
    for name in ("bad name!", "-x-", "a;b"):
        done = touchstone("sources", "add", "--kind", "package", "--", name)
        assert done.code == 2 and "no name of a package" in done.err
    assert world.requests == []


def test_try_refuses_a_full_folder_before_it_works(touchstone, tmp_path, monkeypatch):
    def never(*_arguments):
        raise AssertionError("it worked before it looked")

    monkeypatch.setattr("touchstone_cli.try_task._run", never)
    source = tmp_path / "a.py"
    source.write_text("def f(x):\n    return x\n")
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine.txt").write_text("mine")
    done = touchstone("try", f"{source}::f", "--out", full)
    assert (done.code, done.err) == (1, f"{full}: is not empty; name another folder, or add --force\n")
    done = touchstone("try", f"{source}::f", "--out", source)
    assert (done.code, done.err) == (1, f"{source}: is a file; name a folder\n")


def test_counts_have_their_nouns():
    assert [output.counted(count, "task") for count in (0, 1, 2, 11435)] == [
        "0 tasks",
        "1 task",
        "2 tasks",
        "11,435 tasks",
    ]
    assert output.counted(2, "branch", "branches") == "2 branches"


def test_the_command_is_a_program():
    done = command("tasks", "list", "--kind", "XX")
    assert (done.returncode, done.stdout) == (2, "") and done.stderr == "--kind XX: not known; one of SC, WSC\n"
    assert command("nonsense").returncode == 2
    assert Path(main.__file__).is_file() and issubclass(typer.Exit, Exception)
