from __future__ import annotations

import copy
import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.adapters.harness_texts import harness_text
from evaluator.domain.cocost import (
    UNMADE,
    Bounds,
    Part,
    error_query,
    parse_variant,
    usable_calls,
    variant_text,
)
from evaluator.domain.found import Document, Snippet
from evaluator.domain.outcomes import Outcome
from evaluator.domain.serialise import describe
from evaluator.errors import SandboxUnusableError
from evaluator.ports import CallRun, Said
from evaluator.usecases.cocost import Cocost
from touchstone_runtime.errors import SuspendedError
from touchstone_values import encode

DRAFT = "```python\ndef f1(x):\n    return x\n```"
BETTER = "```python\ndef f1(x):\n    return x + 1\n```"
PLAN = {"steps": [{"step": "add", "search_query": "add numbers"}, {"step": "return it"}]}
CALLS = {"calls": ["f1(1)", "f1(-5)"]}
RETURNED = [CallRun("returned", "[[[[1], {}], 1]]"), CallRun("returned", "[[[[-5], {}], -5]]")]
FOUND = Snippet("elsewhere", "a.py", "plus", "def plus(a, b):\n    return a + b\n", "function9", 0.9)


class ScriptedSearch:
    def __init__(self, *snippets: Snippet) -> None:
        self.snippets = snippets
        self.queries: list[str] = []

    async def search(self, query: str, *, limit: int, occasion: str) -> list[Snippet]:
        self.queries.append(query)
        return list(self.snippets)[:limit]


WORDS = Document("numpy", "2.4.6", "numpy.add", "numpy.add(x1, x2)\nAdd arguments element-wise.", 3.5)


class ScriptedDocuments:
    def __init__(self, *documents: Document) -> None:
        self.documents = documents
        self.queries: list[str] = []

    async def search(self, query: str, *, limit: int, occasion: str) -> list[Document]:
        self.queries.append(query)
        return list(self.documents)[:limit]


class ScriptedSandbox:
    """Never runs anything: gives what the test says, for each program it is given."""

    def __init__(self, *results: Sequence[CallRun] | SuspendedError) -> None:
        self.results = list(results)
        self.programs: list[str] = []
        self.asked: list[tuple[str, str, tuple[str, ...]]] = []

    async def run_calls(
        self, source: str, entry_point: str, inputs: Sequence[str], language: str = "python"
    ) -> list[CallRun]:
        self.programs.append(source)
        self.asked.append((language, entry_point, tuple(inputs)))
        result = self.results.pop(0)
        if isinstance(result, SuspendedError):
            raise result
        assert len(result) == len(inputs)
        return list(result)


@pytest.fixture
def solve(models, run, task):
    async def solve(
        answers,
        results=(),
        *,
        variant="",
        snippets=(FOUND,),
        documents=None,
        bounds=None,
        language="python",
        version=3,
        **changes,
    ):
        asked, found, ran = models(**copy.deepcopy(answers)), ScriptedSearch(*snippets), ScriptedSandbox(*results)
        documents = documents or ScriptedDocuments()
        bounds, showing = bounds or Bounds(), harness_text("showing")
        strategy = Cocost(asked, found, documents, ran, bounds, max_tokens=256, showing=showing)
        fixed = () if version is None else (("version", version),)
        one = run(strategy="cocost", variant=variant, language=language, bounds=fixed)
        solution = await strategy.solve(one, task(1, **changes))
        return solution, asked, found, ran

    return solve


def answers(**changes):
    return {
        "cocost_plan_v1": PLAN,
        "cocost_draft_v1": DRAFT,
        "cocost_inputs_v1": CALLS,
        "cocost_arguments_v1": {"calls": ["[1]", "[-5]", "f1(7)"]},
        "cocost_refine_v1": [BETTER, "CORRECT"],
        **changes,
    }


def names(solution):
    return [f"{step['name']} {step['outcome']}" for step in solution.steps]


async def test_the_whole_way(solve):
    solution, asked, found, ran = await solve(answers(), [RETURNED, RETURNED])
    assert names(solution) == [
        "plan made",
        "search found",
        "search nothing",
        "answer program",
        "inputs chosen",
        "execution run",
        "refinement changed",
        "execution run",
        "refinement kept",
    ]
    assert "return x + 1" in solution.code
    assert found.queries == ["add numbers"]
    prompts = [name for name, _ in asked.asked]
    assert prompts == ["cocost_plan_v1", "cocost_draft_v1", "cocost_inputs_v1", "cocost_refine_v1", "cocost_refine_v1"]
    draft = asked.asked[1][1]
    assert "1. add" in draft["plan"]
    assert "def plus" in draft["found"]
    assert "`f1(-5)` gave" in asked.asked[3][1]["observations"]
    assert solution.effort.calls == 5
    assert "return x\n" in ran.programs[0]
    assert "return x + 1" in ran.programs[1]


async def test_an_error_is_searched_and_shown(solve):
    failed = [CallRun("raised", error_type="KeyError", error_message="'a' at 0x7f12"), CallRun("returned", "1")]
    solution, asked, found, _ = await solve(answers(), [failed, RETURNED])
    assert found.queries == ["add numbers", "KeyError 'a' at"]
    assert "ended with raised: KeyError: 'a' at 0x7f12" in asked.asked[3][1]["observations"]
    assert "return x + 1" in solution.code


@pytest.mark.parametrize(
    ("variant", "absent"),
    [
        ("no-plan", "plan"),
        ("no-search", "search"),
        ("no-inputs", "inputs"),
    ],
)
async def test_each_part_can_be_left_out(solve, variant, absent):
    results = [[CallRun("returned", "null")]] if variant == "no-inputs" else [RETURNED, RETURNED]
    solution, _, _, _ = await solve(answers(), results, variant=variant)
    assert absent not in [step["name"] for step in solution.steps]
    assert solution.code


async def test_without_output_refinement_only_errors_are_refined(solve):
    solution, asked, _, _ = await solve(answers(), [RETURNED], variant="no-output")
    assert names(solution)[-1] == "refinement left_out"
    assert "cocost_refine_v1" not in [name for name, _ in asked.asked]
    failed = [CallRun("raised", error_type="TypeError", error_message="no")] * 2
    solution, _, _, _ = await solve(answers(), [failed, RETURNED], variant="no-output")
    assert "return x + 1" in solution.code


async def test_without_error_refinement_errors_end_it(solve):
    failed = [CallRun("raised", error_type="TypeError", error_message="no")] * 2
    solution, _, _, _ = await solve(answers(), [failed], variant="no-error")
    assert names(solution)[-1] == "refinement left_out"
    assert "return x\n" in solution.code


async def test_without_serialisation_values_are_shown_raw(solve):
    big = encode(list(range(1000)))
    runs = [CallRun("returned", big), CallRun("returned", big)]
    _, asked, _, _ = await solve(answers(cocost_refine_v1="CORRECT"), [runs])
    _, plain, _, _ = await solve(answers(cocost_refine_v1="CORRECT"), [runs], variant="no-serialise")
    assert "length 1000" in asked.asked[3][1]["observations"]
    assert "length 1000" not in plain.asked[3][1]["observations"]


async def test_a_weak_model_is_recorded_and_never_faked(solve):
    weak = answers(
        cocost_plan_v1="no JSON", cocost_inputs_v1="no JSON", cocost_refine_v1="Hm, I am not sure what you mean."
    )
    solution, asked, found, _ = await solve(weak, [[CallRun("raised", error_type="NameError", error_message="y")]])
    assert names(solution) == [
        "plan unusable",
        "answer program",
        "inputs none",
        "execution run",
        "search found",
        "search nothing",
        "refinement unusable",
    ]
    # No plan asked for anything; the error is searched.
    assert found.queries == ["NameError y"]
    assert "Loading it: ended with raised: NameError: y" in asked.asked[3][1]["observations"]
    assert "return x\n" in solution.code


@pytest.mark.parametrize(
    "snippet",
    [
        Snippet("pack", "b.py", "other", "def other(): pass", "function7", 1.0),
        Snippet("copy", "c.py", "f1", "def f1(x):\n    return x + 1", "function8", 1.0),
        Snippet("elsewhere", "d.py", "g", "def g(): pass", "function1", 1.0),
    ],
)
async def test_the_tasks_own_source_is_never_shown(solve, snippet):
    solution, asked, _, _ = await solve(answers(cocost_refine_v1="CORRECT"), [RETURNED], snippets=(snippet,))
    assert "search nothing" in names(solution)
    assert asked.asked[1][1]["found"] == ""


async def test_each_query_asks_the_documents_too_and_a_step_says_what_was_found(solve):
    failed = [CallRun("raised", error_type="KeyError", error_message="no"), CallRun("returned", "1")]
    documents = ScriptedDocuments(WORDS)
    solution, asked, _, _ = await solve(answers(), [failed, RETURNED], documents=documents)
    assert documents.queries == ["add numbers", "KeyError no"]
    steps = [step for step in solution.steps if step["name"] == "search"]
    assert [step["index"] for step in steps] == ["code", "documents"] * 2
    assert steps[1]["results"] == ["numpy 2.4.6 numpy.add"]
    for prompt in (asked.asked[1], asked.asked[3]):
        assert "def plus" in prompt[1]["found"] and "Add arguments element-wise." in prompt[1]["found"]


@pytest.mark.parametrize(
    "changes", [{"variant": "no-documents"}, {"language": "go"}, {"version": 2}, {"version": None}], ids=str
)
async def test_without_documents_code_alone_is_searched(solve, changes):
    said = {"cocost_draft_v1": f"```go\n{LANGUAGES['go']}\n```"} if "language" in changes else {}
    documents = ScriptedDocuments(WORDS)
    solution, asked, found, _ = await solve(
        answers(**said, cocost_refine_v1="CORRECT"), [RETURNED], documents=documents, **changes
    )
    assert found.queries == ["add numbers"] and documents.queries == []
    assert [step["index"] for step in solution.steps if step["name"] == "search"] == ["code"]
    assert "Documentation" not in asked.asked[1][1]["found"]


async def test_without_search_documents_are_not_searched_either(solve):
    documents = ScriptedDocuments(WORDS)
    await solve(answers(), [RETURNED, RETURNED], documents=documents, variant="no-search")
    assert documents.queries == []


@pytest.mark.parametrize(
    "document",
    [
        Document("pack", "1", "pack.other", "pack.other(x)\nAnything.", 1.0),
        Document("numpy", "1", "numpy.f1", "numpy.f1(x)\nThe very function.", 1.0),
        Document("numpy", "1", "numpy.other", "An example:\n\ndef f1(x):\n    return x + 1", 1.0),
    ],
)
async def test_the_tasks_own_documentation_is_never_shown(solve, document):
    solution, asked, _, _ = await solve(
        answers(cocost_refine_v1="CORRECT"), [RETURNED], snippets=(), documents=ScriptedDocuments(document)
    )
    steps = [step for step in solution.steps if step["name"] == "search"]
    assert [(step["outcome"], step["excluded"]) for step in steps] == [("nothing", 0), ("nothing", 1)]
    assert asked.asked[1][1]["found"] == ""


@pytest.mark.parametrize(
    ("changes", "shown"), [({}, True), ({"variant": "no-serialise"}, False), ({"version": 2}, False)], ids=str
)
async def test_results_are_made_data_that_can_be_shown_unless_serialisation_is_left_out(solve, changes, shown):
    _, _, _, ran = await solve(answers(cocost_refine_v1="CORRECT"), [RETURNED], **changes)
    assert ("def touchstone_shown" in ran.programs[0]) is shown
    assert (", *touchstone_drawn()]" in ran.programs[0]) is shown


async def test_no_program_ends_it_without_a_sandbox(solve):
    solution, _, _, ran = await solve(answers(cocost_draft_v1="I cannot."))
    assert solution.outcome is Outcome.NO_CODE
    assert ran.programs == []
    refused, _, _, _ = await solve(answers(cocost_draft_v1=Said("", solution.effort, refused="too long")))
    assert (refused.outcome, refused.detail) == (Outcome.REFUSED, "too long")


async def test_a_sandbox_that_is_away_halts(solve):
    with pytest.raises(SandboxUnusableError):
        await solve(answers(), [SandboxUnusableError("away")])


LANGUAGES = {
    "javascript": "function f1(x) { return x }",
    "typescript": "function f1(x: number): number { return x }",
    "java": "static int f1(int x) { return x; }",
    "go": "func f1(x int) int { return x }",
}


@pytest.mark.parametrize("language", LANGUAGES)
async def test_drafts_of_every_language_are_run_and_refined(solve, language):
    better = LANGUAGES[language].replace("return x", "return x + 1")
    said = {"cocost_draft_v1": f"```{language}\n{LANGUAGES[language]}\n```"}
    said["cocost_refine_v1"] = [f"```{language}\n{better}\n```", "CORRECT"]
    failed = [CallRun("returned", "1"), CallRun("raised", error_type="RangeError", error_message="too deep")]
    solution, asked, found, ran = await solve(
        answers(**said), [failed, [CallRun("returned", "2"), CallRun("returned", "-4")]], language=language
    )
    # Data goes in and comes out: nothing of a model's is evaluated as an expression outside of its program.
    assert ran.asked == [(language, "f1", ("[1]", "[-5]"))] * 2
    assert [name for name, _ in asked.asked][2] == "cocost_arguments_v1"
    assert "- `f1(1)` gave: 1\n- `f1(-5)` ended with raised: RangeError: too deep" in asked.asked[3][1]["observations"]
    assert found.queries == ["add numbers", "RangeError too deep"]
    assert "return x + 1" in solution.code and names(solution)[-2:] == ["execution run", "refinement kept"]


async def test_without_inputs_other_languages_are_not_run(solve):
    draft = f"```go\n{LANGUAGES['go']}\n```"
    solution, _, _, ran = await solve(answers(cocost_draft_v1=draft), language="go", variant="no-inputs")
    assert names(solution)[-1] == "execution left_out" and ran.programs == [] and "func f1" in solution.code


async def test_a_plan_that_asks_for_nothing_searches_nothing(solve):
    plan = {"steps": [{"step": "add"}, {"step": "return it", "search_query": "  "}]}
    solution, _, found, _ = await solve(answers(cocost_plan_v1=plan), [RETURNED, RETURNED])
    assert found.queries == [] and "search" not in [step["name"] for step in solution.steps]
    # An ablation of the plan is one of the plan alone.
    _, _, found, _ = await solve(answers(), [RETURNED, RETURNED], variant="no-plan")
    assert found.queries == ["Return the argument plus 1."]


async def test_the_last_refinement_is_run_and_one_that_answers_less_is_not_taken(solve):
    broken = [RETURNED[0], CallRun("raised", error_type="TypeError", error_message="no")]
    solution, _, _, ran = await solve(answers(), [RETURNED, broken])
    assert names(solution)[-1] == "refinement worse" and "return x\n" in solution.code
    assert "return x + 1" in ran.programs[-1]
    # As many answers, and the last round: it is run all the same.
    solution, _, _, ran = await solve(answers(), [RETURNED, RETURNED], bounds=Bounds(rounds=1))
    assert "return x + 1" in solution.code and len(ran.programs) == 2


@pytest.mark.parametrize("empty", ['"""Add 1."""\n    ...', "pass", "raise NotImplementedError"])
async def test_a_placeholder_is_no_better_program_and_any_program_is_better_than_one(solve, empty):
    stub = f"```python\ndef f1(x):\n    {empty}\n```"
    solution, _, _, ran = await solve(answers(cocost_refine_v1=stub), [RETURNED])
    assert names(solution)[-1] == "refinement unusable" and "return x\n" in solution.code and len(ran.programs) == 1
    raised = [RETURNED[0], CallRun("raised", error_type="ValueError", error_message="negative")]
    solution, _, _, _ = await solve(answers(cocost_draft_v1=stub), [RETURNED, raised], bounds=Bounds(rounds=1))
    assert names(solution)[-2:] == ["refinement changed", "execution run"] and "return x + 1" in solution.code


UNMADE_RUN = CallRun("raised", error_type=f"{UNMADE}NameError", error_message="name 'Decimal' is not defined")


async def test_a_call_whose_arguments_cannot_be_made_is_no_failure_of_the_draft(solve):
    solution, asked, found, _ = await solve(answers(), [[RETURNED[0], UNMADE_RUN], RETURNED[:1]])
    (dropped,) = [step for step in solution.steps if step["outcome"] == "dropped"]
    assert dropped["calls"] == ["f1(-5)"] and found.queries == ["add numbers"]
    assert "f1(-5)" not in asked.asked[3][1]["observations"]
    solution, asked, _, _ = await solve(answers(), [[UNMADE_RUN] * 2])
    assert names(solution)[-2:] == ["inputs dropped", "refinement left_out"] and "return x\n" in solution.code
    # What the draft could make and a later program cannot, is that one's.
    solution, asked, _, _ = await solve(answers(), [RETURNED, [RETURNED[0], UNMADE_RUN]])
    assert names(solution)[-1] == "refinement worse"
    raised = CallRun("raised", error_type="KeyError", error_message="no")
    _, asked, _, _ = await solve(answers(), [[RETURNED[0], raised], [RETURNED[0], UNMADE_RUN]])
    assert "ended with raised: NameError: name 'Decimal'" in asked.asked[4][1]["observations"]


async def test_each_error_is_searched_once(solve):
    failed = [CallRun("raised", error_type=kind, error_message="no") for kind in ("KeyError", "TypeError", "KeyError")]
    inputs = {"calls": ["f1(1)", "f1(2)", "f1(3)"]}
    _, _, found, _ = await solve(answers(cocost_inputs_v1=inputs), [failed, [*failed[:1], *RETURNED]])
    assert found.queries[1:3] == ["KeyError no", "TypeError no"]


@given(st.sets(st.sampled_from(Part)))
def test_variants_are_read_as_they_are_written(off):
    assert parse_variant(variant_text(off)) == off


@pytest.mark.parametrize("text", ["search", "no-luck", "no-", "no-search no-plan"])
def test_an_unknown_part_names_the_known(text):
    with pytest.raises(ValueError, match="no-serialise"):
        parse_variant(text)


def test_calls_are_picked_and_refused_with_reasons():
    usable, refused = usable_calls(
        ["f(1)", "f( 1 )", "f(x=[2])", "g(1)", "f(1); f(2)", "f(", "f((y := 3))", "f(a)(b)", "f(4)", "f(5)"], "f", 3
    )
    assert usable == ["f(1)", "f(x=[2])", "f(4)"]
    assert len(refused) == 5


def test_bare_literal_arguments_are_a_call_too():
    usable, refused = usable_calls(["'a b', n=2", "[1, {}]", "hello-world", "", "1) + g(2"], "f", 5)
    assert usable == ["f('a b', n=2)", "f([1, {}])"]
    assert len(refused) == 3


@pytest.mark.parametrize(
    ("entry_point", "qualname", "found"),
    [
        ("half", "_half", Snippet("fork/other", "w.py", "_half", "def _half(x):\n    return x / 2", "f9", 0.9)),
        ("rect_clipped", "Rect.clipped", Snippet("fork/other", "w.py", "R.c", "def clipped(self, by): ...", "f9", 0.9)),
        ("size_init", "Size.__init__", Snippet("fork/other", "w.py", "Size", "class Size:\n    x = 1", "f9", 0.9)),
        ("half", "half", Snippet("acme/source", "w.py", "third", "def third(x): ...", "f9", 0.9)),
    ],
)
async def test_a_copy_under_the_author_s_own_name_is_shown_to_nobody(solve, entry_point, qualname, found):
    answers_of = answers() | {"cocost_draft_v1": [f"```python\ndef {entry_point}(x):\n    return x\n```"]}
    named = {"entry_point": entry_point, "qualname": qualname, "source": "source"}
    kept = Snippet("else/where", "w.py", "near", "def near(x): ...", "f10", 0.5)
    solution, _, _, _ = await solve(
        answers_of, variant="no-inputs,no-output,no-error", results=[RETURNED[:1]], snippets=(found, kept), **named
    )
    searched = next(step for step in solution.steps if step["name"] == "search" and step["index"] == "code")
    assert (searched["excluded"], searched["results"]) == (1, ["else/where w.py:near"])


async def test_without_output_only_failures_are_told(solve):
    mixed = [CallRun("raised", "", "ValueError", "boom"), RETURNED[1]]
    _, asked, _, _ = await solve(answers(), [mixed, RETURNED], variant="no-output")
    told = [values["observations"] for name, values in asked.asked if name == "cocost_refine_v1"]
    assert told == ["- `f1(1)` ended with raised: ValueError: boom"]


def test_an_error_is_searched_by_its_words():
    assert error_query("ValueError", "bad shape (3, 4) at 0xdeadbeef") == "ValueError bad shape ( , ) at"


def test_values_are_described_with_type_shape_and_statistics():
    array = {"$": "ndarray", "dtype": "<f8", "shape": [2, 6], "v": [float(n) for n in range(12)]}
    assert describe(json.dumps(array)) == (
        "ndarray(dtype=<f8, shape=(2, 6), min=0, max=11, mean=5.5, "
        "values=[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, …] (length 12))"
    )
    index = {"$": "index", "class": "RangeIndex", "dtype": "int64", "names": [None], "v": [0, 2, 1]}
    columns = {"$": "index", "class": "Index", "dtype": "object", "names": [None], "v": ["a", "b"]}
    frame = {
        "$": "frame",
        "columns": columns,
        "dtypes": ["int64", "object"],
        "index": index,
        "v": [[1, 3], ["x", None]],
    }
    assert describe(json.dumps(frame)) == (
        "DataFrame(shape=(2, 2), index=range(0, 2, 1), columns: "
        "'a': int64, min=1, max=3, mean=2, values=[1, 3]; 'b': object, missing=1, values=['x', None])"
    )
    assert describe('{"$": "map", "v": [[1, {"$": "set", "v": []}]]}') == "{1: set()}"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=400) | st.binary(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=12)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=12)
    ),
    max_leaves=40,
)


@given(values)
def test_any_value_is_described_shortly(value):
    text = describe(encode(value))
    assert text
    assert len(text) < 1600


@given(st.text())
def test_text_that_is_no_value_is_shown_as_it_is(text):
    assert len(describe(text)) < 1600
