"""A process of ours that reads answers and dies is our fault: asked anew, raised in the end, never a verdict."""

import shlex
import sys

import pytest

from sandbox_executor.adapters.examining import COMMAND, ProcessExaminer
from sandbox_executor.domain.frames import LARGE
from sandbox_executor.domain.judging import WRONG_OUTPUT, difference, judge_case
from sandbox_executor.domain.outcomes import CaseResult, Outcome
from sandbox_executor.errors import SandboxFaultError
from touchstone_values import MalformedValueError

MIB = 1 << 20
RIGHT = "[" + ",".join(map(str, range(LARGE))) + "]"
WRONG = RIGHT.replace(",7,", ",8,", 1)
# How a process ends that somebody else ends, or that cannot load: a line of a shell.
DEATHS = {
    "terminated": "kill -TERM $$",
    "killed": "kill -KILL $$",
    "crashed": "kill -SEGV $$",
    # No hang-up: who runs the tests with nohup ignores these.
    "alarmed": "kill -ALRM $$",
    "cannot load": "exit 1",
    "no module": "exec {python} -m sandbox_executor.adapters.nothing",
    "ended in silence": "exit 0",
    "died over its words": "printf 'f\\0\\0\\0\\7be'; kill -TERM $$",
    "died over its reply": "printf 'f\\0'; exit 0",
    "said what nobody says": "printf 'x\\0\\0\\0\\0'; exec cat > /dev/null",
    # Which waits until it was asked.
    "died at work": "head -c 100 > /dev/null; kill -TERM $$",
}


@pytest.fixture
def dying(tmp_path):
    """Gives examiners whose process dies so many times before it works; the file counts the starts."""
    made = []

    def make(death, times):
        starts = tmp_path / "starts"
        starts.touch()
        script = (
            f"echo >> {starts}\n"
            f"if [ $(wc -l < {starts}) -le {times} ]; then {death.format(python=shlex.quote(sys.executable))}; fi\n"
            'exec "$@"\n'
        )
        made.append(
            ProcessExaminer(1, memory_bytes=120 * MIB, cpu_s=5, command=("/bin/sh", "-c", script, "sh", *COMMAND))
        )
        return made[-1], lambda: len(starts.read_text())

    yield make
    for examiner in made:
        examiner.close()


@pytest.mark.parametrize("death", DEATHS)
def test_who_died_is_asked_anew(dying, death):
    examiner, _ = dying(DEATHS[death], 1)
    assert examiner.difference(RIGHT, RIGHT + " ", "exact") == ""
    assert "$[7]" in examiner.difference(RIGHT, WRONG, "exact")
    assert examiner.fault(RIGHT) == ""


@pytest.mark.parametrize("death", DEATHS)
def test_who_dies_always_is_a_fault_and_no_verdict(dying, death):
    examiner, starts = dying(DEATHS[death], 99)
    with pytest.raises(SandboxFaultError):
        judge_case(CaseResult(0, Outcome.RETURNED, RIGHT + " "), RIGHT, "exact", examiner.difference)
    assert 1 < starts() < 10
    with pytest.raises(SandboxFaultError):
        examiner.fault(RIGHT)


def test_what_cannot_be_started_is_a_fault(tmp_path):
    examiner = ProcessExaminer(1, command=(str(tmp_path / "nothing"),))
    for _ in range(2):
        with pytest.raises(SandboxFaultError):
            examiner.fault(RIGHT)
    examiner.close()


def test_who_says_nothing_is_a_fault_after_its_time(dying):
    examiner = ProcessExaminer(1, command=("/bin/sleep", "600"), within_s=1)
    # More than a pipe takes, so that not even the question gets through.
    with pytest.raises(SandboxFaultError):
        examiner.difference(RIGHT, WRONG, "exact")
    examiner.close()


def test_who_died_between_two_questions_is_started_anew(dying):
    examiner, starts = dying("exit 0", 0)
    assert examiner.fault(RIGHT) == ""
    examiner.close()
    assert examiner.fault(RIGHT) == ""
    assert starts() == 2


def test_an_answer_that_takes_the_time_or_the_memory_is_the_answers_doing(dying):
    examiner, starts = dying(":", 0)
    pair = '{"$":"tuple","v":[1.0,{"$":"frozenset","v":[AT,7.0]}]}'
    expected = '{"$":"set","v":[' + ",".join(pair.replace("AT", str(0.5 + i * 1e-9)) for i in range(9000)) + "]}"
    failure = judge_case(
        CaseResult(0, Outcome.RETURNED, expected.replace("7.0", "7.1")), expected, "exact", examiner.difference
    )
    assert failure.outcome == WRONG_OUTPUT
    assert "to read" in examiner.difference("[1]", '"' + "x" * (90 * MIB) + '"', "exact")
    assert "to read" in examiner.fault('"' + "x" * (90 * MIB) + '"')
    assert starts() < 5


def test_a_suite_that_takes_the_memory_is_not_the_answers_doing(dying):
    examiner, _ = dying(":", 0)
    with pytest.raises(SandboxFaultError):
        examiner.difference('"' + "x" * (90 * MIB) + '"', "[1]", "exact")


@pytest.mark.parametrize("error", [RecursionError, MemoryError])
def test_what_breaks_over_the_expected_value_alone_is_not_the_answers_doing(error, monkeypatch):
    def explode(*_):
        raise error

    monkeypatch.setattr("sandbox_executor.domain.judging.compare", explode)
    monkeypatch.setattr("sandbox_executor.domain.judging.parse", explode, raising=False)
    with pytest.raises(error):
        difference("1", "2", "exact")
    monkeypatch.undo()
    with pytest.raises(MalformedValueError):
        difference("[", "2", "exact")
