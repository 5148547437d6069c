"""A fence within a program does not cut it, and a program that stands bare is taken whole, in every language."""

import time

import pytest

from touchstone_runtime.extraction import Found, answer_of, extract, fenced

TAGS = {"python": "python", "javascript": "js", "typescript": "ts", "java": "java", "go": "go", "php": "php"}
# By language: where a fence may stand in a program (FENCES is replaced), and an example that defines the same name.
PROGRAMS = {
    "python": [
        '"""About.\n\nFENCES\n"""\n\n\ndef cut(text, width):\n    return text[:width]\n',
        "def cut(text, width):\n    r'''Cuts.\n\nFENCES\n    '''\n    return text[:width]\n",
        "def cut(text, width):\n    return text[:width]\n\n\nHELP = '''\nFENCES\n'''\n\n\ndef more():\n    return 1\n",
        'def cut(text, width):\n    known = {"""\nFENCES\n"""}\n    return text[:width]\n',
    ],
    "javascript": [
        "/**\nFENCES\n */\nfunction cut(text, width) {\n  return text.slice(0, width);\n}\n",
        "function cut(text, width) {\n  /*\nFENCES\n  */\n  return text.slice(0, width);\n}\n",
        "const help = 1; /*\nFENCES\n*/\nmodule.exports = { cut(text) { return text; } };\n",
        "const api = {};\n/*\nFENCES\n*/\napi.cut = (text) => text;\nObject.assign(exports, api);\n",
    ],
    "typescript": [
        "/*\nFENCES\n*/\nexport function cut(text: string, width: number): string {\n  return text;\n}\n",
        "export const cut = (text: string): string => {\n  /*\nFENCES\n  */\n  return text;\n};\n",
    ],
    "java": [
        "class Solution {\n    /**\nFENCES\n    */\n    static String cut(String text) { return text; }\n}\n",
        'class Solution {\n    static String cut(String text) {\n        return """\nFENCES\n        """;\n    }\n}\n',
    ],
    "go": [
        "package main\n\n/*\nFENCES\n*/\nfunc cut(text string) string {\n\treturn text\n}\n",
        "func cut(text string) string {\n\treturn text\n}\n\n/*\nFENCES\n*/\nfunc other() {}\n",
    ],
    "php": [
        "<?php\n/*\nFENCES\n*/\nfunction cut($text) {\n    return $text;\n}\n",
        "<?php\nfunction cut($text) {\n    return $text . <<<END\nFENCES\n    END;\n}\n",
    ],
}  # fmt: skip
EXAMPLES = {
    "python": "def cut(text, width):\n    return 0",
    "javascript": "function cut(text) { return 0; }",
    "typescript": "function cut(text: string) { return 0; }",
    "java": "static String cut(String text) { return null; }",
    "go": 'func cut(text string) string { return "" }',
    "php": "function cut($text) { return 0; }",
}
# How an example is fenced within the program: indentation, the line before, the line behind.
INNER = {
    "bare": ("", "```", "```"),
    "tagged": ("", "```TAG", "```"),
    "two": ("", "```TAG\n1\n```\nand\n```TAG", "```"),
    "odd": ("", "```", ""),
    "indented": ("    ", "```TAG", "```"),
    "far": ("\t\t", "```", "```"),
    "tildes": ("", "~~~", "~~~"),
    "longer": ("", "````", "````"),
}
OUTER = {
    "fenced": "```TAG\nPROGRAM```\n",
    "told": "Here it is:\n\n```TAG\nPROGRAM```\n\nIt cuts, and does no more.\n",
    "untagged": "```\nPROGRAM```",
    "spaced": "``` TAG  \nPROGRAM```  \nDone.",
    "titled": '```TAG title="cut" {1,2}\nPROGRAM```\n',
    "attributes": "```{.TAG .numbered}\nPROGRAM```\n",
    "comma": "```TAG,editable\nPROGRAM```\nor\n```\nno idea\n```\n",
    "long": "`````TAG\nPROGRAM`````\n",
    "tilde": "~~~TAG `x`\nPROGRAM~~~\n",
    "used": "Call it:\n```TAG\nprint(1);\n```\nwith\n```TAG\nPROGRAM```\nand\n```\n3\n```\n",
    "cut off": "So:\n```TAG\nPROGRAM",
    "carriage": "So:\r\n```TAG\r\nPROGRAM```\r\nDone.\r\n",
    "bare": "PROGRAM",
    "bare carriage": "\r\nPROGRAM\r\n",
    "bare and told": "Here is the function:\n\nPROGRAM\nThis works, as it cuts the text.\n",
}
CASES = [
    (language, number, inner, outer)
    for language, programs in PROGRAMS.items()
    for number in range(len(programs))
    for inner in INNER
    for outer in OUTER
]


def program(language, number, inner):
    indent, before, behind = INNER[inner]
    lines = f"{before}\n{EXAMPLES[language]}\n{behind}".replace("TAG", TAGS[language]).split("\n")
    return PROGRAMS[language][number].replace("FENCES", "\n".join(indent + line for line in lines))


@pytest.mark.parametrize("language", PROGRAMS)
@pytest.mark.parametrize("outer", OUTER)
@pytest.mark.parametrize("inner", INNER)
def test_a_fence_within_a_program_does_not_cut_it(language, inner, outer):
    for number in range(len(PROGRAMS[language])):
        whole = program(language, number, inner)
        form = OUTER[outer].replace("TAG", TAGS[language])
        answer = form.replace("PROGRAM", whole.replace("\n", "\r\n") if "\r" in form else whole)
        found = extract(answer, "cut", language)
        assert (found.found, found.code.strip()) == (Found.PROGRAM, whole.strip()), number


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("```python\ndef cut(a):\n    return 1\n````\nand\n```\n2\n```", "def cut(a):\n    return 1\n"),
        ("````markdown\nSo:\n```python\ndef cut(a):\n    return 1\n```\n````\n", "def cut(a):\n    return 1\n"),
        ("```python\ndef cut(a):\n    return 1\n    ```\nDone.", "def cut(a):\n    return 1\n"),
        ("- So:\n      ```python\n      def cut(a):\n          return 1\n      ```\n", "def cut(a):\n    return 1\n"),
        ("```python\ndef cut(a):\n    return 1\n   ```\nDone.", "def cut(a):\n    return 1\n"),
        ("~~~\n```\ndef cut(a):\n    return 1\n```\n~~~\n", "def cut(a):\n    return 1\n"),
    ],
)  # fmt: skip
def test_ends_of_blocks_are_taken_as_they_come(answer, code):
    assert extract(answer, "cut").code == code


def test_without_a_language_a_block_ends_at_the_first_fence_of_its_kind_alone_and_not_too_far_in():
    answer = "```\na\n~~~\n``\n``` b\n    ```\n  ```\nand\n```\n```\n~~~ `x`\nc\n~~~~\n````\nd\n```\n"
    assert fenced(answer) == ["a\n~~~\n``\n``` b\n    ```\n", "", "c\n", "d\n```\n"]


def test_many_fences_are_read_in_bounded_time():
    began = time.process_time()
    for language in PROGRAMS:
        extract("```\ncut = (\n" * 9_000, "cut", language)
        extract("```\n/*\n" * 12_000, "cut", language)
    assert time.process_time() - began < 60


SAYING = {
    "python": "def cut(text):\n    return text.split('</think>')[-1]\n",
    "javascript": "function cut(text) {\n  return text.split('</think>').pop();\n}\n",
    "typescript": "function cut(text: string) {\n  return `${text}</think>`;\n}\n",
    "java": 'static String cut(String text) { return text + "</think>"; }\n',
    "go": "func cut(text string) string {\n\t// Not behind </think>.\n\treturn text\n}\n",
    "php": "<?php\nfunction cut($text) {\n    return $text . '</think>';\n}\n",
}


@pytest.mark.parametrize("language", SAYING)
def test_a_mark_within_a_program_ends_no_thought(language):
    whole, example = SAYING[language], EXAMPLES[language]
    fence = f"```{TAGS[language]}\n{whole}```\n"
    for answer in (whole, f"Here:\n{fence}Done.", f"<think>{example}</think>{fence}"):
        assert extract(answer_of(answer, "cut", language), "cut", language).code == whole
    for draft in (example, f"```\n{example}\n```\n", f"{example.replace(';', '')} {{ ("):
        for opening in ("", "<think>\n"):
            answer = f"{opening}{draft}\n</think>\n```\n{example.replace('cut', 'cut ')}\n```"
            assert "think>" not in answer_of(answer, "cut", language)
