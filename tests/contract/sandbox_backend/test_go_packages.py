"""Prepared modules of Go: chosen, proved, held to rules and compiled before a job finds them."""

import pytest

from sandbox_executor.domain.outcomes import Outcome
from sandbox_executor.domain.packages import PolicyError
from sandbox_executor.errors import JobRefusedError

_RAN = 'import "os"\n\nfunc init() { os.WriteFile("/work/ran", nil, 0o600) }\n'
USES = """package main

import (
\t"fmt"
\t"example.test/tiny"
)

func F(x int) int { return tiny.Plus(x) }

func main() { fmt.Println(F(2)) }
"""


@pytest.fixture(scope="session")
def modules(index):
    """Publishes modules: one that needs another, and those that nobody should have."""
    index.module("example.test/leaf", "v1.0.0", {"leaf.go": f"package leaf\n\n{_RAN}\nvar Five = 5\n"})
    index.module("example.test/leaf", "v1.1.0", {"leaf.go": "package leaf\n\nvar Five = 6\n"})
    tiny = 'package tiny\n\nimport "example.test/leaf"\n\nfunc Plus(x int) int { return x + leaf.Five }\n'
    index.module(
        "example.test/tiny",
        "v1.2.0",
        {
            "tiny.go": tiny,
            "sub/sub.go": "package sub\n\nconst One = 1\n",
            "cmd/it/main.go": "package main\n\nfunc main() {}\n",
        },
        needs=["example.test/leaf v1.0.0"],
    )
    index.module("example.test/later", "v1.0.0", {"a.go": "package later\n"}, go="9.99")
    index.module("example.test/young", "v1.0.0", {"a.go": "package young\n"}, days=1)
    index.module("example.test/wrong", "v1.0.0", {"a.go": "package wrong\n\nvar One int = true\n"})
    index.module("example.test/linked", "v1.0.0", {"a.go": 'package linked\n\nimport "C"\n'})
    return index


def test_packages_are_had_with_what_they_need(bench, prepare, modules):
    made = prepare("go", "example.test/tiny")
    assert made.ready, made.detail
    assert [(each.name, each.version) for each in made.packages] == [
        ("example.test/leaf", "v1.0.0"),
        ("example.test/tiny", "v1.2.0"),
    ]
    assert all(each.integrity.startswith("h1:") and not each.sha256 for each in made.packages)
    options = {"language": "go", "environment_id": made.environment_id}
    result = bench.one(USES, 3, entry="F", **options)
    assert result.value == "8", result
    ran = bench.program(USES, artefacts=("ran",), **options)
    assert ran.stdout == b"7\n" and "ran" in ran.files, "code of a module runs in the job, and not before"


def test_without_its_module_a_program_does_not_compile(bench, modules):
    result = bench.one(USES, 3, entry="F", language="go")
    assert result.outcome is Outcome.COMPILE_ERROR and "example.test/tiny" in result.error_message


def test_a_pinned_environment_is_found_again_without_asking(prepare, modules):
    first = prepare("go", "example.test/leaf@v1.0.0")
    modules.asked.clear()
    assert prepare("go", "example.test/leaf@v1.0.0") == first and not modules.asked
    assert prepare("go", "example.test/leaf").packages[0].version == "v1.1.0"


def test_packages_of_one_module_have_environments_of_their_own(prepare, modules):
    one, other = prepare("go", "example.test/tiny@v1.2.0"), prepare("go", "example.test/tiny/sub@v1.2.0")
    assert other.ready and one.environment_id != other.environment_id


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("example.test/none", "not among the mirror's modules"),
        ("example.test/tiny/none", "no package of its module"),
        ("example.test/leaf@v9.9.9", "mirror"),
        ("example.test/tiny/cmd/it", "it is a program and no package"),
        ("example.test/later", "it needs a newer Go"),
        ("example.test/wrong", "does not compile"),
        ("example.test/linked", "without cgo"),
    ],
)
def test_what_cannot_be_had_is_an_answer(prepare, modules, wanted, words):
    made = prepare("go", wanted)
    assert not made.ready and not made.environment_id
    assert words in made.detail and modules.url not in made.detail, made.detail


def test_rules_hold_for_modules_and_what_lies_beneath(bench, preparing, modules, tmp_path):
    for rule in ("example.test/leaf", "go:example.test/*", "example.test"):
        with pytest.raises(PolicyError, match="denied by the rule"):
            preparing(tmp_path, denied=(rule,))("go", "example.test/tiny")
    with pytest.raises(PolicyError, match="published less than 7 days ago"):
        preparing(tmp_path, least_age_days=7)("go", "example.test/young")
    assert preparing(tmp_path, allowed=("go:example.test",), least_age_days=7)("go", "example.test/tiny/sub").ready


def test_a_job_of_another_language_has_no_use_for_them(bench, prepare, modules):
    made = prepare("go", "example.test/leaf")
    with pytest.raises(JobRefusedError, match="holds packages of go"):
        bench.one("def f(x):\n    return x", 1, environment_id=made.environment_id)
