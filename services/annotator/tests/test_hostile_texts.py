"""Codes that were made to be read for ever: whatever a code holds, its reader is back within seconds."""

import time

import pytest

from annotator.domain.corpus_filter import unfit
from annotator.domain.declarations import blanked, declarations
from annotator.domain.echo import alike
from annotator.domain.pair import LANGUAGES, LONGEST_CODE, Pair
from annotator.domain.program import ProgramTest, assertions_in
from annotator.domain.stubs import stub_programs
from annotator.domain.subject import examine
from annotator.domain.text import speaks_to_judge
from annotator.domain.wordless import wordless

# What is repeated, before and after it another text.
TEXTS = {
    "opened quotes": ("f(x)\n", '"a\\', ""),
    "opened ticks": ("f(x)\n", "`a\\", ""),
    "lone ticks": ("f(x)\n", "```\n", ""),
    "opened comments": ("", "/* ", ""),
    "blanks": ("f(x)\n", "\t", ""),
    "blanks of a function": ("const f = function", " ", ""),
    "blanks of a type": ("function f(x): ", " ", ""),
    "blanks of a name": ("function", " ", "("),
    "annotations": ("class A { ", "@a  ", "; int f(int x) { return x; } }"),
    "brackets": ("def f(x):\n    return ", "(", ""),
    "types": ("class A { int f", "<a ", ""),
    "classes": ("", "class a ", ""),
}
# Of the processor; the longest took .5 s a reader when this was written.
MOST_S = 10.0


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", TEXTS)
def test_no_code_holds_its_reader_up(name, language):
    before, again, after = TEXTS[name]
    code = f"{before}{again * (LONGEST_CODE // len(again))}"[: LONGEST_CODE - len(after)] + after
    pair = Pair("p", "q", "ask", "f", code, language)
    began = time.process_time()
    examine(pair), unfit(pair), wordless(code, language), speaks_to_judge(code), alike(code, code)
    assert time.process_time() - began < MOST_S


DEEP = {
    "sums": lambda depth: "+".join("1" * depth),
    "signs": lambda depth: "-" * depth + "1",
    "brackets": lambda depth: "(" * depth,
    "lists": lambda depth: "[" * min(depth, 190) + "]" * min(depth, 190),
    "attributes": lambda depth: "a" + ".b" * depth,
    "calls": lambda depth: "a" + "()" * depth,
    "no letter": lambda depth: "\0",
}


@pytest.mark.parametrize("depth", [150, 600, 900, 5000])
@pytest.mark.parametrize("kind", DEEP)
def test_text_that_is_nested_deeply_is_a_text_like_any_other(kind, depth):
    deep = DEEP[kind](depth)
    program = ProgramTest("i", "", f"assert f(1) == {deep}")
    assert stub_programs(examine(Pair("p", "q", "ask", "f", "def f(a):\n    return a")), program.tests)
    assert assertions_in(program, "python") in (0, 1)
    for code in (f"def f(a={deep}) -> {deep}:\n    return a", f"@f({deep})\ndef f(a):\n    return a"):
        subject = examine(Pair("p", "q", "ask", "f", code, imports=(deep,), file_imports=(deep,)))
        assert subject.code == code and unfit(Pair("p", "q", "ask", "f", code)) is not None
        wordless(code, "python")


def test_literals_and_types_are_read_as_before():
    assert blanked(r"""f("a\"b", 'c') // "d""", "javascript") == "f(" + " " * 6 + ", " + " " * 3 + ") " + " " * 5
    [found] = declarations("class A { @B  @C(1)\n static int f(int x) { return x; } }", "java")
    assert (found.name, found.owner, found.returns, found.parameters) == ("f", "A", "int", ("x",))
    [arrow] = declarations("export const f = function  (x) { return x }", "typescript")
    assert arrow.name == "f"
    [typed] = declarations("function f(x: number): number[]  { return [x] }", "typescript")
    assert typed.returns == "number[]"
