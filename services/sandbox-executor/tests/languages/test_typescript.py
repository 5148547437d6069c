# ruff: noqa: E501  programs of other languages, as their authors write them
"""TypeScript programs as its compiler takes them: names of types, lines of errors, files beside them, what Node has."""

import json
from collections.abc import Callable

import pytest

from sandbox_executor.adapters.toolchains import Toolchains
from sandbox_executor.domain.outcomes import Outcome

ITEM = "interface Item { id: number }\nfunction f(x: Item): number { return x.id; }\n"
# All of them answer 1 to {"id": 1}.
NAMING_TYPES = {
    "exported interface": f"{ITEM}export {{ f, Item }};",
    "exported first": f"export {{ Item, f }};\n{ITEM}",
    "exported by other names": f"type Pair = [number, number];\n{ITEM}export {{\n  Item as Thing, // a type\n"
    "  f,\n  Pair as P,\n};",
    "beside a default": f"type Fn = (x: Item) => number;\n{ITEM}export default f;\nexport {{ Fn }};",
    "the default": f"{ITEM}export default Item;\nexport {{ f }};",
    "a module of Node": 'import { join, ParsedPath } from "path";\nexport function f(x: { id: number }): number {\n'
    '  const parsed: ParsedPath | null = null;\n  return parsed === null && join("a") === "a" ? x.id : 0;\n}',
    "a module of Node, exported": f'import fs, {{ PathLike as P }} from "node:fs";\n{ITEM}'
    "const own: P = typeof fs.openSync;\nexport { f, P };",
    "in words": f"// export {{ Item }}\n/** Takes an {{Item}}. */\n{ITEM}export {{ f, Item }};",
    "a value of that name": "interface Item { id: number }\nconst Item = (x: Item): number => x.id;\n"
    "const f = Item;\nexport { f, Item };",
}


@pytest.mark.parametrize("name", NAMING_TYPES)
def test_a_type_may_be_named_where_values_are_exported_and_imported(name: str, harness: Callable) -> None:
    assert harness("typescript", NAMING_TYPES[name], "f", ['[{"id":1}]']).values == ["1"]


@pytest.mark.parametrize("name", NAMING_TYPES)
def test_a_program_may_name_types_as_well(name: str, run_program: Callable) -> None:
    ran = run_program("typescript", f"{NAMING_TYPES[name]}\nconsole.log(f({{ id: 1 }}));\n")
    assert (ran.result.outcome, ran.stdout) == (Outcome.RETURNED, "1\n"), ran


def test_a_file_beside_a_program_may_name_types(run_program: Callable) -> None:
    main = 'import { f, Item } from "./parts/item.ts";\nconst item: Item = { id: 1 };\nconsole.log(f(item));\n'
    ran = run_program("typescript", main, files={"parts/item.ts": f"{ITEM}export {{ Item, f }};"})
    assert ran.stdout == "1\n", ran


# Programs that say something that reads like a list of names, and what `f` gives of it.
SAID = {
    "a text": ("""function f() { return "import { Foo } from './foo';"; }""", "import { Foo } from './foo';"),
    "a text of a module": (f"""{ITEM}export {{ Item }};\nexport function f() {{ return 'export {{ Item }};'; }}""".replace("function f(x: Item)", "function g(x: Item)"), "export { Item };"),
    "lines": ("interface App { x: number }\nexport function f() {\n  return `\nimport { Component, useState } from 'react';\nexport default App;\nexport { App };\n`;\n}", "\nimport { Component, useState } from 'react';\nexport default App;\nexport { App };\n"),
    "lines with a value": ("const name = 'Foo';\nfunction f() { return `import { ${name} } from 'a'; export { ${name} }`; }", "import { Foo } from 'a'; export { Foo }"),
    "an expression": ("function f() { return [/import { A } from 'a'/.source, /export { A }/.test('export { A }')]; }", ["import { A } from 'a'", True]),
    "what begins a text": ("""const lines = ["import { B, A } from 'a';"];\nfunction f() { return lines.filter((line) => line.startsWith("import { B")).map((line) => line.replace("import {", '').replace(/} from.*/, '')); }""", [" B, A "]),
    "used in lines alone": ("import { join } from 'path';\nimport { ParsedPath, sep } from 'path';\nexport function f() { const p: ParsedPath | null = null; return `export { ${[join('a', 'b'), sep]} } is no ParsedPath${p ?? ''}`; }", "export { a/b,/ } is no ParsedPath"),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_what_a_program_only_says_stays_as_it_was_written(name: str, harness: Callable) -> None:
    source, value = SAID[name]
    assert [json.loads(text) for text in harness("typescript", source, "f", ["[]"]).values] == [value]


@pytest.mark.parametrize("name", SAID)
def test_what_a_whole_program_only_says_stays_as_it_was_written(name: str, run_program: Callable) -> None:
    source, value = SAID[name]
    ran = run_program("typescript", f"{source}\nconsole.log(JSON.stringify(f()));\n")
    assert ran.result.outcome is Outcome.RETURNED, ran
    assert json.loads(ran.stdout) == value


def test_a_type_of_a_file_beside_a_program_may_be_said_too(run_program: Callable) -> None:
    main = """import { f, Item } from "./item.ts";
/* Item */ const item: Item = { id: 1 };
console.log(f(item), "an Item", `Item of ${/Item/.source}`);
"""
    ran = run_program("typescript", main, files={"item.ts": f"{ITEM}export {{ Item, f }};"})
    assert ran.stdout == "1 an Item Item of Item\n", ran


def test_what_is_no_type_is_missed_as_ever(harness: Callable) -> None:
    for source in (
        "export function f(): number { return 1; }\nexport { missing };",
        'import { missing } from "path";\nexport function f(): number { return missing(); }',
    ):
        load = json.loads(harness("typescript", source, "f", ["[]"]).frames[0])
        assert (load["t"], "missing" in load["m"]) == ("CompileError", True)


def test_types_of_nodes_modules_are_not_checked(run_cases: Callable, toolchains: Toolchains) -> None:
    toolchains.places("typescript", type_check=True)
    source = """import path, { ParsedPath } from "path";
import fs, { Stats as S } from "node:fs";
import * as os from "os";
function f(x: number, y?: ParsedPath | S | path.ParsedPath, z?: fs.Stats | os.CpuInfo): number { return x; }
export { f, ParsedPath };"""
    (result,) = run_cases("typescript", source, "f", ["[1]"], type_check=True)
    assert (result.outcome, result.value) == (Outcome.RETURNED, "1"), result
    wrong = "namespace Own { export const x = 1; }\nexport function f(x: Own): number { return 1; }"
    (result,) = run_cases("typescript", wrong, "f", ["[1]"], type_check=True)
    assert result.outcome is Outcome.COMPILE_ERROR


# Programs with an error, and the line of the author's text where it stands; types that are taken away take lines along.
WRONG = {
    "in a script": ("type A = {\n  a: number }\n\nfunction f(x: number) { return x }\nlet f = 1;", 5),
    "behind longer code": (
        "interface A {\n  a: number\n}\nenum E {\n  A,\n  B,\n}\n"
        "class P { constructor(public a: number, public b: number) {} }\nfunction f(x: number) { return x }\nlet f = 1;",
        10,
    ),
    "in a module": (
        "type A = {\n  a: number }\nexport const x = 1;\nfunction f(x: number) { return x }\nlet f = 1;",
        5,
    ),
    "a decorator": (
        "function d(t: any, c: any) { return t }\n\nexport class S {\n  @d f(x: number) { return x }\n}",
        4,
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_the_engines_words_name_a_line_of_the_authors_text(name: str, harness: Callable) -> None:
    source, line = WRONG[name]
    load = json.loads(harness("typescript", source, "f", ["[1]"]).frames[0])
    assert (load["t"], f"candidate.ts:{line}\n" in load["m"]) == ("CompileError", True), load


def test_an_error_names_a_line_of_the_authors_text(harness: Callable) -> None:
    for head in (
        "interface A {\n  a: number\n}\n",
        "enum E {\n  A,\n  B,\n}\n",
        "export {};\ntype T = {\n  a: number };\n",
    ):
        source = f"{head}function f(x: any) {{\n  const y: any = null;\n  return y.a;\n}}"
        ((kind, message),) = harness("typescript", source, "f", ["[1]"]).raised
        assert (kind, message.endswith(f"(line {head.count(chr(10)) + 3})")) == ("TypeError", True), message


def test_a_module_may_ask_for_others_both_ways(harness: Callable) -> None:
    source = "const fs = require('fs');\nexport function f(x: number) { return fs.existsSync('/') ? x : 0; }"
    assert harness("typescript", source, "f", ["[1]"]).values == ["1"]


@pytest.mark.parametrize("name", ["./parts/item", "./parts/item.js", "./parts/item.ts", "./parts", "./parts/plain.js"])
def test_a_program_names_its_files_as_its_compiler_takes_them(name: str, run_program: Callable) -> None:
    files = {f"parts/{file}": "export const y: number = 2;\n" for file in ("item.ts", "index.ts")}
    files["parts/plain.js"] = "export const y = 2;\n"
    ran = run_program("typescript", f'import {{ y }} from "{name}";\nconsole.log(y);\n', files=files)
    assert ran.stdout == "2\n", ran
    missing = run_program("typescript", 'import { y } from "./none";\nconsole.log(y);\n', files=files)
    assert "Cannot find module '/work/none'" in missing.stderr


# Programs that run on this Node: each answers 1 to 1.
RUNS = {
    "grouping": "export function f(x: number) { return Object.groupBy([x], () => 'a').a?.length; }",
    "sets": "export function f(x: number) { return new Set([x]).union(new Set([x])).size; }",
    "iterators": "export function f(x: number) { return [x].values().map((y) => y).toArray()[0]; }",
    "promises": "export async function f(x: number) { const { promise, resolve } = Promise.withResolvers<number>(); resolve(x); return promise; }",
    "modules": "import zlib from 'zlib';\nimport { readFile } from 'fs/promises';\nimport { isMainThread } from 'worker_threads';\nexport function f(x: number) { return zlib && readFile && isMainThread ? x : 0; }",
    "buffers": "import { Buffer as B } from 'buffer';\nexport function f(x: number) { const b: Buffer = Buffer.from('a'); const c: Uint8Array = b; return c.length * B.from('a').length; }",
    "globals": "class Own extends EventTarget { at: number = performance.now(); }\nexport function f(x: number) { const e: Event = new Event('a'); const u: URL = new URL('file:///a'); return e && u && new Own().at > 0 ? x : 0; }",
    "bytes as text": "export function f(x: number) { const b: Buffer = Buffer.from('a'); return b.toString('hex') === '61' && Buffer.concat([b, b] as Buffer[]).equals(b) ? 0 : x; }",
    "an export of all": "function f(x: number) { return x; }\nexport = f;",
    "an import of all": "import fs = require('fs');\nfunction f(x: number) { return fs.existsSync('/') ? x : 0; }\nexport = { f };",
    "asserted": "import assert from 'node:assert';\nexport function f(x: number | null): number { assert(x !== null); return x; }",
    "asserted otherwise": "import { strict as check, ok, fail, AssertionError } from 'assert';\nimport * as all from 'assert/strict';\nexport function f(x: number | null, y?: unknown): number { try { fail(); } catch (e) { ok(e instanceof AssertionError); }\n  check.ok(x !== null); all.strictEqual(typeof x, 'number'); all.deepEqual([x], [1]); ok(x); if (y) fail('no'); else return x; }",
    "ended": "export function f(x: number): number { if (x > 0) return x; process.exit(Number(process.env.CODE ?? 1)); }",
    "of Node": "export function f(x: number, env?: NodeJS.ProcessEnv, e?: BufferEncoding, d?: NodeJS.Dict<string>): number { const s: ReadableStream<string> | null = null; return new CustomEvent<number>('a', { detail: x }).detail ?? s; }",
    "main": "function f(x: number) { return x; }\nif (require.main === module) f(1);\nmodule.exports = { f };",
    "names of its own": "class Event { constructor(public x: number) {} }\nexport function f(x: number) { return new Event(x).x; }",
    "timers": "export async function f(x: number) { let t: NodeJS.Timeout | undefined; await new Promise<void>((r) => { t = setTimeout(r, 1); }); return t ? x : 0; }",
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_what_runs_passes_the_check_of_types(name: str, run_cases: Callable, toolchains: Toolchains) -> None:
    toolchains.places("typescript", type_check=True)
    for checked in (False, True):
        (result,) = run_cases("typescript", RUNS[name], "f", ["[1]"], type_check=checked)
        assert (result.outcome, result.value) == (Outcome.RETURNED, "1"), result


def test_what_this_node_has_not_fails_the_check_of_types(run_cases: Callable, toolchains: Toolchains) -> None:
    toolchains.places("typescript", type_check=True)
    for expression in ("window ? 1 : 0", "Object.groupBy(1)", "new Set([1]).onion()", "x.length"):
        source = f"export function f(x: number): number {{ return {expression}; }}"
        (result,) = run_cases("typescript", source, "f", ["[1]"], type_check=True)
        assert result.outcome is Outcome.COMPILE_ERROR, result
