"""The program that a model wrote is the one that is judged, however it marks its thoughts and blocks."""

import time

import pytest

from touchstone_runtime.extraction import Found, answer_of, extract, with_prelude
from touchstone_runtime.thoughts import spoken, thought_apart

HEADS = [
    "try:\n    from math import prod\nexcept ImportError:\n    prod = None\n\n",
    "if True:\n    from math import prod\n\n",
    "LOW, HIGH = 0, 9\n",
    "for _n in range(3):\n    globals()[f'N{_n}'] = _n\n\n",
    "TABLE = {}\nTABLE['a'] = 1\n",
]
BODY = "def f(x):\n    return x + 1\n"


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("form", ["{}", "\n{}", "```python\n{}", "Here it is:\n\n{}\nIt adds one.", "```python\n{}```"])
def test_a_program_keeps_its_first_lines(head, form):
    assert extract(form.format(head + BODY), "f").code == head + BODY


@pytest.mark.filterwarnings("error")
def test_an_odd_escape_of_a_program_is_no_news_of_its_reader():
    program = "import re\n\n\ndef f(s):\n    return re.sub('\\d', '', s)\n"
    found = extract(f"Sure:\n{program}\nThis removes digits from it.\n", "f")
    assert (found.found, found.code) == (Found.PROGRAM, program)


@pytest.mark.parametrize("constants", [10, 60, 150])
def test_words_that_look_like_code_before_a_long_program_do_not_hide_it(constants):
    program = "import re\n\n" + "".join(f"RULE_{i} = re.compile('{i}')\n" for i in range(constants)) + BODY
    words = "Let me see.\nx = 1 gives 2\nx = 2 gives 3\nif it is so, 3:\nfrom these the rule is to add one.\n\n"
    found = extract(words + program, "f")
    assert (found.found, found.code) == (Found.PROGRAM, program)


@pytest.mark.parametrize(
    "answer",
    [
        "{}```\nThis adds one.",
        "So:\n\n{}```",
        "{}```\nUse it:\n```python\nf(1)\n```",
        "Here is the code: ```python\n{}```\nIt adds one.",
        "- ```python\n  def f(x):\n      return x + 1\n  ```",
        "3. ```\n   def f(x):\n       return x + 1\n   ```",
        "> ```python\n> def f(x):\n>     return x + 1\n> ```",
        "> So:\n>\n> ```python\n> def f(x):\n>     return x + 1\n> ```\n\nDone.",
    ],
)
def test_a_program_is_found_whose_opening_fence_is_missing_or_not_alone(answer):
    assert extract(answer.replace("{}", BODY), "f").code == BODY


@pytest.mark.parametrize(
    ("language", "program"),
    [
        ("javascript", "function f(x) { return x + 1; }\n"),
        ("go", "package main\n\nfunc f(x int) int { return x + 1 }\n"),
    ],
)
@pytest.mark.parametrize("form", ["{}```\nThis adds one.", "Here it is: ```\n{}```"])
def test_so_it_is_in_other_languages(language, program, form):
    assert extract(form.replace("{}", program), "f", language).code == program


@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("gcd", "from math import gcd\n"),
        ("merge", "from heapq import merge as merge\n"),
        ("gcd", "from math import *\n"),
        (
            "f",
            "import sys\nif sys.byteorder:\n    def f(x):\n        return x\nelse:\n    def f(x):\n        return 0\n",
        ),
        ("f", "try:\n    import numpy\nexcept ImportError:\n    def f(x):\n        return x\n"),
        ("f", "def _make():\n    return (lambda x: x), 1\nf, _n = _make()\n"),
        ("f", "def _set():\n    global f\n    f = abs\n_set()\n"),
    ],
)
def test_whatever_may_bind_the_function_is_run(name, program):
    assert extract(f"```python\n{program}```", name).code == program
    assert extract(f"```python\nprint({name}(1))\n```\nwith\n```python\n{program}```", name).code == program


def test_a_real_definition_is_taken_before_one_that_may_be():
    both = (
        "```python\nfrom solution import f\nprint(f(1))\n```\n```python\nif True:\n    def f(x):\n        return x\n```"
    )
    assert extract(both, "f").code.startswith("if True")
    assert extract("```python\nprint(f(1))\n```", "f").found is Found.OTHER


TEXT = 'def box():\n    return """+--+\n    \n+--+"""\n'


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (f"```python\n{TEXT}```", TEXT),
        (TEXT, TEXT),
        (
            '1. So:\n\n   ```python\n   def box():\n       return """a\nb"""\n   ```',
            'def box():\n    return """a\nb"""\n',
        ),
        ("   ```python\n  def box():\n      return 1\n   ```", "def box():\n    return 1\n"),
        ("```python\n    def box():\n        return 1\n```", "def box():\n    return 1\n"),
    ],
)
def test_texts_of_a_program_keep_their_blanks(answer, code):
    assert extract(answer, "box").code == code


@pytest.mark.parametrize(
    "code",
    [
        "from __future__ import annotations; import math\ndef f():\n    return math.pi\n",
        "from __future__ import (\n    annotations,\n)  ; import math\ndef f():\n    return math.pi\n",
        "# a\rfrom __future__ import annotations\nimport math\ndef f():\n    return math.pi\n",
        '"""Öne\rtwo"""; from __future__ import annotations; import math\ndef f():\n    return math.pi\n',
        "from __future__ import annotations # é\nfrom __future__ import division\nimport math\nf = lambda: math.pi\n",
    ],
)
def test_what_stands_beside_an_import_of_the_future_stays(code):
    space = {}
    exec(compile(with_prelude("import os", code), "p", "exec"), space)
    assert space["f"]() > 3 and "os" in space


DRAFT, FINAL = "```python\ndef f(x):\n    return x - 1\n```", f"```python\n{BODY}```"


@pytest.mark.parametrize(
    "said",
    [
        f"<think>\n{DRAFT}\n</think>\n{FINAL}",
        f"Sure!\n<think>\n{DRAFT}\nNo, plus.\n</think>\n{FINAL}",
        f"Sure! <think>\n{DRAFT}\nNo, plus.\n</think>\n{FINAL}",
        f"\u200b<think>\n{DRAFT}\nNo, plus.\n</think>\n{FINAL}",
        f"<think>Hm.</think>\n<think>\n{DRAFT}\nNo, plus.\n</think>\n{FINAL}",
        f"{DRAFT}\n</think>\n<think>{DRAFT}</think>{FINAL}",
        f"<think>It ends with '</think>'.\n{DRAFT}</think>\n{FINAL}",
        f"{FINAL}\nIt takes `</think>` for what it is.",
        f"{FINAL}\n<think>{DRAFT}</think>",
    ],
)
def test_a_draft_in_a_thought_is_not_the_program(said):
    assert extract(answer_of(said, "f"), "f").code == BODY


@pytest.mark.parametrize("said", [f"Okay.\n<think>\n{DRAFT}\nNo, pl", f"<think>a</think><think>{DRAFT}"])
def test_a_thought_without_an_end_has_no_program(said):
    assert extract(answer_of(said, "f"), "f").found is Found.NOTHING


# Each with its thought in the place of {}, before the answer.
MARKED = [
    *(f"<{name}>{{}}</{name}>\n" for name in ("think", "Think", "thinking", "thought", "reasoning", "seed:think")),
    "[THINK]{}[/THINK]",
    "◁think▷{}◁/think▷",
    "<|START_THINKING|>{}<|END_THINKING|><|START_RESPONSE|>",
    "<|begin_of_thought|>\n\n{}\n\n<|end_of_thought|>\n\n<|begin_of_solution|>\n\n",
    "<|channel>thought\n{}<channel|>",
    "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>",
    "<|start|>assistant<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>commentary<|message|>{}<|end|>"
    "<|start|>assistant<|channel|>final <|constrain|>json<|message|>",
    "analysis{}assistantfinal",
    "analysis\n{}assistantcommentary{}assistantfinal",
    "Here is my thought process:\n{}\nHere is my response:\n",
]
ENDS = ["", "<|im_end|>", "<|endoftext|>\n", "</s>", "<｜end▁of▁sentence｜>", "<|return|>", "<|END_RESPONSE|></s>"]


@pytest.mark.parametrize("form", MARKED)
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("final", [FINAL, BODY, f"```python\n{BODY}", f"Here it is:\n{BODY}"])
def test_thoughts_and_ends_of_every_kind_are_no_part_of_the_program(form, end, final):
    said = form.replace("{}", f"First:\n{DRAFT}\nNo, plus.\n") + final + end
    assert extract(answer_of(said, "f"), "f").code == BODY
    assert spoken(said).startswith(final)


@pytest.mark.parametrize("form", [form for form in MARKED if form[0] in "<[◁"])
def test_so_they_are_where_the_prompt_opened_the_thought(form):
    said = form.rpartition("{}")[2] + FINAL
    assert spoken(f"{DRAFT}\n{said}") == FINAL
    assert thought_apart(f"{DRAFT}\n{said}")[0] == ""


@pytest.mark.parametrize("form", [form for form in MARKED if form[0] in "<[◁"])
def test_a_thought_of_every_kind_may_lack_its_end(form):
    assert extract(answer_of(form.partition("{}")[0] + DRAFT, "f"), "f").found is Found.NOTHING


@pytest.mark.parametrize("form", [form for form in MARKED if form[0] in "<[◁"])
def test_marks_of_every_kind_may_stand_in_a_text_of_the_program(form):
    opening, _, closing = (each.strip() for each in form.replace("\n", "").partition("{}"))
    program = f"MARKS = ('{opening}', '{closing}')\n\n\ndef f(x):\n    return x.split('{closing}')[-1]\n"
    for said in (
        program,
        f"```python\n{program}```",
        f"So:\n\n{program}",
        f"<think>Hm.</think>```python\n{program}```",
    ):
        assert extract(answer_of(said, "f"), "f").code == program


@pytest.mark.parametrize("name", ["thinking", "thought", "thoughts", "reasoning"])
def test_marks_that_are_words_too_may_be_spoken_of_beside_a_program(name):
    block = f"```python\n{BODY}```"
    for said in (
        f"{block}\nIt leaves out all before the </{name}> tag.",
        f"{block}\nAll before </{name}> goes away.\n",
        f"It reads the\n<{name}> tag so:\n\n{block}\n",
        f"It reads the\n<{name}> tag so:\n\n{BODY}",
    ):
        assert extract(answer_of(said, "f"), "f").code == BODY


def test_words_alone_mark_no_thought():
    for said in (f"analysis of it:\n{FINAL}", f"{FINAL}\nHere is my response: it adds.", f"{FINAL}\nassistantfinal"):
        assert extract(answer_of(said, "f"), "f").code == BODY


def test_marks_are_told_apart_in_time():
    began = time.process_time()
    for text in (
        "<|im_end|> " * 9000 + "a",
        "</s>" * 20_000,
        " " * 90_000 + "a",
        "analysis" * 10_000,
        "[THINK]" * 9000,
    ):
        spoken(text)
        spoken(f"a\n{text}\nb")
    assert time.process_time() - began < 3


INDENTED = BODY.replace("def", "    def").replace("return", "    return")


@pytest.mark.parametrize("form", ["{}", "Here is it:\n\n{}", "Here is it:\n\n{}\nIt adds one.", "{}\n    print(f(1))"])
def test_a_program_may_stand_further_in_than_sentences(form):
    assert extract(form.replace("{}", INDENTED), "f").code.startswith(BODY)


def test_a_method_of_a_broken_class_is_no_program():
    assert extract(f"class A:\n{INDENTED}\n    def g(x", "f").found is not Found.PROGRAM


def test_an_answer_keeps_its_margin_behind_a_thought():
    for said in ("<think>Hm.</think>\n\n        return 1\n", "Hm.</think>  \r\n        return 1\n"):
        assert spoken(said) == "        return 1\n"
    assert thought_apart("<think>Hm.</think> 1") == ("<think>Hm.", "1")
    assert spoken("Write `<think>` and `</think>`.") == "Write `<think>` and `</think>`."
