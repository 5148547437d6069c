"""The program is the block that defines what was asked for, in every language; what only names it is none."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone_runtime.extraction import Found, extract

PYTHON = ["def cut(text, width):\n    return text[:width]\n", "cut = lambda text, width: text[:width]\n"]
SCRIPTS = [
    "function cut(text, width) {\n  return text.slice(0, width);\n}\n",
    "async function cut(text, width)\n{\n  return text.slice(0, width);\n}\n",
    "const cut = (text, width) => text.slice(0, width)\n",
    "let size = 1, cut = function (text, width) { return text.slice(0, width); };\n",
    "module.exports.cut = (text, width) => text.slice(0, width);\n",
    "(function () {\n  exports.cut = (text, width) => text.slice(0, width);\n})();\n",
    "const start = (text, width) => text.slice(0, width);\nmodule.exports = { cut: start };\n",
    "module.exports = {\n  one: 1,\n  cut(text, width) {\n    return text.slice(0, width);\n  },\n};\n",
    "const start = (text, width) => text.slice(0, width);\nexport { start as cut };\n",
    "export default function cut(text, width) { return text.slice(0, width); }\n",
    "// cut(text, width) gives `the start\n"
    "function cut(text, width) {\n  return text.replace(/[`'\"/]{2}/g, `${text}`);\n}\n",
    "const helper = require('./helper');\n\nclass Inner {}\n"
    "function cut(text, width) { return helper(text) / 2 / width; }\n",
    "function* cut(text, width) { yield text.slice(0, width); }\n",
]
PROGRAMS = {
    "python": PYTHON,
    "javascript": SCRIPTS,
    "typescript": [
        *SCRIPTS,
        "function cut(text: string, width: number): string {\n  return text.slice(0, width);\n}\n",
        "function cut(text: string, width?: number): { a: string } | null {\n  return { a: text };\n}\n",
        "function cut<T extends { a: (b: T) => void }>(\n  rows: T[],\n  width: number,\n): Map<string, { a: T }> {\n"
        "  return new Map();\n}\n",
        "function cut(text: string): string;\nfunction cut(text: string[]): string[];\n"
        "function cut(text: any): text is\n  | string {\n  return text;\n}\n",
        "export const cut: (text: string, width: number) => string = (text, width) => text.slice(0, width);\n",
        "interface Row { cut(text: string): void }\n"
        "export function cut(text: string): text is 'a' { return text === 'a'; }\n",
    ],
    "java": [
        "static String cut(String text, long width) {\n    return text.substring(0, (int) width);\n}\n",
        "import java.util.*;\n\npublic class Solution {\n    /** cut it; don't */\n"
        "    public static <T> List<T> cut(List<T> rows, long width)\n"
        "            throws Exception {\n        return rows.subList(0, (int) width);\n    }\n}\n",
        "interface Cutter {\n    String cut(String text, long width);\n}\n\nclass Solution implements Cutter {\n"
        "    @Override\n    public String cut(String text, long width) {\n"
        "        return text + '\"' + \"\"\"\n            a \"b\" {\n            \"\"\";\n    }\n}\n",
        "record Span(int from, int to) {}\n\nstatic int[] cut(long[] rows) { return new int[0]; }\n",
    ],
    "go": [
        "package main\n\nfunc cut(text string, width int64) string {\n\treturn text[:width]\n}\n",
        'func cut(rows []struct{ a int }, width int64) (found map[string]interface{}, err error) { return nil, nil }\n',
        "func cut[T any](rows []T) interface{ A() } {\n\treturn nil\n}\n",
        "package main\n\nvar cut = func(text string, width int64) string { return text[:width] }\n",
        'import "strings"\n\n// cut(text) does it: `\n'
        'func cut(text string) []string { return strings.Split(text, `"{`) }\n',
        "var (\n\tsize = 1\n\tcut = func(text string) string { return text }\n)\n",
    ],
    "php": [
        "<?php\nfunction cut(string $text, int $width): ?string\n{\n    return substr($text, 0, $width);\n}\n",
        "function &Cut($text) { # don't\n    return <<<END\n    it's {$text}\n    END;\n}\n",
    ],
}  # fmt: skip
HEADS = {
    "python": ["def cut(text, width)", "def cut(text: str, width: int) -> str:", "def cut(text, width):\n    ..."],
    "javascript": [
        "function cut(text, width)",
        "function cut(text, width);",
        "/**\n * @param {string} text\n */\nfunction cut(text, width)",
        "function cut(text, width) {\n  // your code here\n}",
        'function cut(text, width) {\n  throw new Error("not implemented");\n}',
        "function cut(text, width) { ... }",
    ],
    "typescript": [
        "function cut(text: string, width: number): string",
        "declare function cut(text: string, width: number): { a: string };",
        "function cut(text: string): string\n\nfunction helper(): void {}",
        "function cut(text: string): string {\n  throw new Error();\n}",
        "declare const cut: (text: string) => string;",
    ],
    "java": [
        "static String cut(String text, long width)",
        "interface Cutter {\n    String cut(String text, long width);\n}",
        "// An Object is null, a Boolean, …\nstatic Object cut(Object text)",
        "class Solution {\n    static String cut(String text) {\n        throw new IllegalStateException();\n    }\n}",
    ],
    "go": [
        "func cut(text string, width int64) string",
        "func cut(text string, width int64) (map[string]interface{}, error)\n\nfunc other() {}",
        'func cut(text string, width int64) string {\n\tpanic("to do")\n}',
        "type Cutter interface {\n\tcut(text string) string\n}",
    ],
    "php": ["function cut(string $text, int $width): string", "function cut($text) {\n}"],
}
CALLS = {
    "python": ['print(cut("abc", 2))', 'result = cut("abc", 2)', "assert cut('', 1) == ''"],
    "javascript": [
        'console.log(cut("abc", 2)); // "ab"',
        "const { cut } = require('./cut');\nconst found = cut('abc', 2);",
        "const cut = require('./cut');\ncut('abc', 2);",
        "import { cut } from './cut';\nif (cut('a', 1) === 'a') {\n  cut('b');\n}",
        "// cut(text, width): keep the first width characters",
        "for (const row of cut('abc', 2)) { console.log(row) }",
        "Input: cut(\"abc\", 2)\nOutput: \"ab\"",
    ],
    "typescript": ["import cut from './cut';\nconst found: string = cut('abc', 2);", "type F = string; cut('a');"],
    "java": [
        'System.out.println(cut("abc", 2));',
        'class Main {\n    public static void main(String[] given) {\n        String s = cut("abc", 2);\n'
        "        if (cut(s, 1) == s) { return; }\n    }\n}",
        "// cut(text, width): keep the first width characters",
        "return cut(text, 2);",
    ],
    "go": [
        'package main\n\nfunc main() {\n\tfmt.Println(cut("abc", 2))\n}',
        "// cut(text, width) keeps the first width characters",
        'if found := cut("abc", 2); found != "ab" {\n}',
    ],
    "php": ['<?php echo cut("abc", 2);', "# cut($text)"],
}  # fmt: skip
TAGS = {"python": "python", "javascript": "js", "typescript": "ts", "java": "java", "go": "go", "php": "php"}
languages = st.sampled_from(sorted(PROGRAMS))
prose = st.text(st.characters(blacklist_characters="`~", blacklist_categories=["Cs"]), max_size=60)


def fenced(text, tag):
    return f"```{tag}\n{text.rstrip()}\n```\n"


@st.composite
def answers(draw):
    """An answer, the language that was asked for and the program in it."""
    language = draw(languages)
    program = draw(st.sampled_from(PROGRAMS[language]))
    tags = st.sampled_from([TAGS[language], "", TAGS[language].upper()])
    others = st.sampled_from([*HEADS[language], *CALLS[language]])
    before = draw(st.lists(st.tuples(prose, others, tags), max_size=3))
    after = draw(st.lists(st.tuples(others, tags, prose), max_size=3))
    parts = [f"{words}\n{fenced(text, tag)}" for words, text, tag in before]
    parts += [f"{draw(prose)}\n{fenced(program, draw(tags))}"]
    parts += [f"{fenced(text, tag)}{words}\n" for text, tag, words in after]
    return "".join(parts), language, program


@given(answers())
def test_a_program_comes_out_as_it_went_in_whatever_stands_around_it(answer):
    text, language, program = answer
    found = extract(text, "cut", language)
    assert (found.found, found.code) == (Found.PROGRAM, program)


@pytest.mark.parametrize(
    ("language", "text"), [(language, text) for language, texts in CALLS.items() for text in texts]
)
def test_a_call_alone_is_no_program(language, text):
    assert extract(fenced(text, TAGS[language]), "cut", language).found is Found.OTHER


@pytest.mark.parametrize(
    ("language", "text"), [(language, text) for language, texts in HEADS.items() for text in texts]
)
def test_a_head_alone_is_left_to_the_sandbox(language, text):
    found = extract(fenced(text, TAGS[language]), "cut", language)
    # Which compilers refuse, or which fails; what only declares a type of that name is some other code.
    assert found.runnable or text.startswith("type ")


@pytest.mark.parametrize("language", PROGRAMS)
def test_of_several_programs_the_first_is_taken_in_every_language(language):
    first, second = PROGRAMS[language][0], PROGRAMS[language][1]
    answer = f"So:\n{fenced(first, TAGS[language])}Or:\n{fenced(second, TAGS[language])}"
    assert extract(answer, "cut", language).code == first


@pytest.mark.parametrize(("language", "tag"), [("javascript", "jsx"), ("python", "python:cut.py"), ("java", "text")])
def test_a_program_under_an_unknown_tag_is_found_beside_other_blocks(language, tag):
    program = PROGRAMS[language][0]
    answer = f"{fenced('npm run it', '')}{fenced(program, tag)}{fenced('ab', '')}"
    assert extract(answer, "cut", language).code == program


@pytest.mark.parametrize(
    ("language", "program"),
    [
        ("javascript", "const api = {};\napi.cut = (text) => text;\nObject.assign(exports, api);\n"),
        ("javascript", "module.exports = (text, width) => text.slice(0, width);\n"),
        ("javascript", "const [cut] = [(text) => text];\n"),
        ("typescript", "export default async (text: string) => text;\n"),
    ],
)
def test_what_may_define_it_in_another_way_is_left_to_the_sandbox(language, program):
    call = CALLS[language][0]
    assert extract(f"{fenced(call, 'js')}{fenced(program, 'js')}", "cut", language).code == program
    real = PROGRAMS[language][0]
    assert extract(f"{fenced(program, 'js')}{fenced(real, 'js')}", "cut", language).code == real


@pytest.mark.parametrize("language", PROGRAMS)
def test_what_makes_no_sense_is_shown_to_the_sandbox_where_nothing_else_is(language):
    program = PROGRAMS[language][0].rstrip()
    broken = program.replace(")", "", 1)
    found = extract(fenced(broken, TAGS[language]), "cut", language)
    assert (found.found, found.code) == (Found.UNPARSABLE, f"{broken}\n")
    assert extract(fenced(broken, TAGS[language]) + fenced(program, ""), "cut", language).code == f"{program}\n"


@pytest.mark.parametrize("language", ["javascript", "typescript", "java", "go", "php"])
@pytest.mark.parametrize(
    "piece",
    ["cut(", "function cut<", "func cut(", "/", "/[", '"""', '"""\\', "<<<A\n", "`", "${", "`${", "{", "cut = ", "'",
     "var cut: ", "int cut() throws ", "\n", "//", "/*"],
)  # fmt: skip
def test_any_text_is_read_in_linear_time(language, piece):
    began = time.process_time()
    extract(fenced(piece * (90_000 // len(piece)), ""), "cut", language)
    assert time.process_time() - began < 20
