"""What may be asked for."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_executor.domain.jobs import (
    CasesJob,
    File,
    JobError,
    ProgramJob,
    check_cases_job,
    check_inputs,
    check_path,
    check_program_job,
)
from sandbox_executor.domain.limits import DEFAULT, MAXIMUM, LimitError, Limits, resolve
from sandbox_executor.domain.requirements import (
    Package,
    RequirementError,
    check_requirements,
    environment_id,
    is_pinned,
)

CASES = CasesJob("python", "def f(): pass", "f", ("[]",), DEFAULT)
PROGRAM = ProgramJob("python", "", (), b"", (), DEFAULT)


def test_zero_means_the_default():
    assert resolve({}) == DEFAULT
    assert resolve({"memory_bytes": 64 * 2**20}).memory_bytes == 64 * 2**20
    assert resolve({"case_timeout_s": 100.0}, replace(DEFAULT, total_timeout_s=10.0)).total_timeout_s == 100.0


@pytest.mark.parametrize(
    "asked",
    [
        {"case_timeout_s": -1.0},
        {"case_timeout_s": math.nan},
        {"case_timeout_s": math.inf},
        {"memory_bytes": 2**50},
        {"processes": -1},
        {"memory_bytes": 1},
    ],
)
def test_limits_outside_of_the_offer_are_refused(asked):
    with pytest.raises(LimitError):
        resolve(asked)


@given(st.dictionaries(st.sampled_from(list(Limits.__dataclass_fields__)), st.floats() | st.integers(-(2**40), 2**40)))
def test_no_limit_exceeds_the_maximum(asked):
    try:
        found = resolve(asked)
    except LimitError:
        return
    for name in Limits.__dataclass_fields__:
        assert 0 < getattr(found, name) <= getattr(MAXIMUM, name)


@pytest.mark.parametrize("path", ["a", "a/b.txt", "a b/ü", "...", "a/..b"])
def test_paths_in_the_folder(path):
    assert check_path(path) == path


@pytest.mark.parametrize("path", ["", "/a", "a//b", "../a", "a/../b", "./a", "a/", "a\0b", "a/.", "x" * 500])
def test_paths_that_leave_the_folder_are_refused(path):
    with pytest.raises(JobError):
        check_path(path)


@pytest.mark.parametrize("entry", ["f", "Solution.two_sum", "$f", "_", "größe", "a.b.c", "S.$f", "$S.f"])
def test_entry_points(entry):
    check_cases_job(replace(CASES, entry_point=entry))


@pytest.mark.parametrize("entry", ["", "f()", "a b", ".f", "f.", "1f", "a;b", "f\n", "x" * 400])
def test_entry_points_that_are_no_names_are_refused(entry):
    with pytest.raises(JobError):
        check_cases_job(replace(CASES, entry_point=entry))


@pytest.mark.parametrize(
    "job",
    [
        replace(CASES, inputs=("[]",) * 20_001),
        replace(CASES, environment_id="../x"),
        replace(CASES, environment_id="a" * 200_000),
        replace(CASES, hash_seed=-1),
        replace(CASES, source="x" * (4 * 2**20 + 1)),
    ],
    ids=["cases", "environment", "endless environment", "seed", "source"],
)
def test_case_jobs_that_are_refused(job):
    with pytest.raises(JobError):
        check_cases_job(job)


@pytest.mark.parametrize(
    "job",
    [
        replace(PROGRAM, files=(File("../a", b""),)),
        replace(PROGRAM, files=(File("a", b""), File("a", b""))),
        replace(PROGRAM, artefacts=("/etc/passwd",)),
        replace(PROGRAM, artefacts=("a",) * 51),
        replace(PROGRAM, arguments=("a\0b",)),
        replace(PROGRAM, arguments=("ü" * 20_000,)),
        replace(PROGRAM, arguments=("",) * 30_000),
        replace(PROGRAM, files=(File("a", bytes(33 * 2**20)),)),
    ],
    ids=["escape", "twice", "artefact", "many", "nul", "long", "numerous", "large"],
)
def test_program_jobs_that_are_refused(job):
    with pytest.raises(JobError):
        check_program_job(job)


NO_ARGUMENTS = [
    "", "1", "null", '"[]"', "[1", "[1]]", '[1],"i":7', "[NaN]", "[1,]", '{"a":1,"a":2}', '{"$":"tuple","v":[1]}',
    '[{"$":"nothing"}]', '{"$":"map","v":[["a"]]}', "[" * 500 + "]" * 500, "[1]\0",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_ARGUMENTS)
def test_arguments_that_are_none_are_refused_and_their_case_is_named(text):
    with pytest.raises(JobError, match=r"^case 1: "):
        check_inputs(("[]", text))


def test_arguments_come_by_position_or_by_name():
    check_inputs(("[]", " [1]\n", "{}", '{"a":[1]}', '{"v":[["$",1]],"$":"map"}', '[{"$":"tuple","v":[1]}]'))


def test_requirements_are_ordered_and_normal():
    assert check_requirements(("b>=1", "a==2", "a==2")) == ("a==2", "b>=1")
    assert is_pinned(("a==2",))
    assert not is_pinned(("a==2", "b>=1"))
    assert not is_pinned(("a==2.*",))


@pytest.mark.parametrize(
    "text", ["", "--index-url=x", "-r file", "a @ file:///etc", "a; b", "../a", "a==1 --hash=x", "a" * 200_000]
)
def test_requirements_that_are_no_packages_of_the_index_are_refused(text):
    with pytest.raises(RequirementError):
        check_requirements((text,))


def test_an_environment_is_named_after_its_content():
    one, two = Package("a", "1", "00"), Package("b", "1", "00")
    assert environment_id((one, two), "cpython-311") == environment_id((two, one), "cpython-311")
    assert environment_id((one,), "cpython-311") != environment_id((Package("a", "1", "01"),), "cpython-311")
    assert environment_id((one,), "cpython-311") != environment_id((one,), "cpython-312")
