"""TypeScript programs that name types where values stand: the compiler proper leaves such names out."""

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
