# ruff: noqa: E501  programs of other languages, as their authors write them
"""What Go's structs are given and written as, and methods that a type has from what it embeds."""

import json
from collections.abc import Callable

import pytest

from sandbox_executor.domain.outcomes import Outcome
from touchstone_values import compare

# A struct, what it is given by names, and what its fields A and B then hold; `ArgumentError` where it is not called.
FIELDS = {
    "type P struct { A, a int; B int }": {'{"a":1,"A":2,"B":3}': [2, 3], '{"A":2,"B":3}': [2, 3], '{"b":3}': [0, 3]},
    "type P struct { A int `json:\"b\"`; B int `json:\"a\"` }": {'{"a":1,"b":2}': [2, 1]},
    "type P struct { A int `json:\"key\"`; B int `json:\"A\"` }": {'{"key":1,"A":2}': [1, 2]},
    "type P struct { A, B int; LongName, Long_Name int }": {'{"A":1,"B":2,"LongName":3}': [1, 2], '{"A":1,"long_name":3}': "ArgumentError", '{"A":1,"c":3}': "ArgumentError"},
    "type Q struct { A int }\ntype P struct { Q; B int }": {'{"A":1,"B":2}': [1, 2], '{"a":1,"b":2}': [1, 2], '{"A":1,"c":2}': "ArgumentError"},
    "type Q struct { A int }\ntype P struct { *Q; B int }": {'{"A":1,"B":2}': [1, 2]},
    "type q struct { A int; hidden int }\ntype Q struct { q }\ntype P struct { Q; B int }": {'{"A":1,"B":2,"hidden":3}': [1, 2]},
    "type Q struct { A, B int }\ntype P struct { Q; B int }": {'{"A":1,"B":2}': [1, 2]},
}  # fmt: skip


@pytest.mark.parametrize("kind", FIELDS)
def test_fields_are_found_by_their_names(kind: str, harness: Callable) -> None:
    source = f"package main\n{kind}\nfunc f(p P) []int {{ return []int{{p.A, p.B}} }}"
    frames = [
        json.loads(text) for text in harness("go", source, "f", [f"[{case}]" for case in FIELDS[kind]]).frames[1:]
    ]
    assert [frame.get("v", frame.get("t")) for frame in frames] == list(FIELDS[kind].values())


# A struct that is returned as it came, with what comes.
RETURNED = {
    "type Q struct { X int }\ntype P struct { Q; Y int }": ['{"X":1,"Y":2}', "[1,2]"],
    "type Q struct { X int }\ntype P struct { Y int; *Q }": ['{"X":1,"Y":2}', '{"Y":2}', "[1,2]"],
    'type Q struct { X int }\ntype P struct { Q `json:"q"`; Y int }': ['{"q":{"X":1},"Y":2}', "[[1],2]"],
    'import "time"\ntype P struct { time.Duration; Y int }': ['{"Duration":1,"Y":2}'],
    "type P struct { X int; *P }": ['{"X":1,"P":{"X":2,"P":null}}'],
}


@pytest.mark.parametrize("kind", RETURNED)
def test_an_embedded_struct_is_written_as_it_is_read(kind: str, harness: Callable) -> None:
    source = f"package main\n{kind}\nfunc f(p P) P {{ return p }}"
    values = harness("go", source, "f", [f"[{case}]" for case in RETURNED[kind]]).values
    for case, value in zip(RETURNED[kind], values, strict=True):
        assert compare(case, value, "portable") is None, (case, value)


B = "type B struct{ by int }\nfunc (b B) f(x int) int { return x + 1 + b.by }\n"
# Types and an entry point that answers 2 to 1.
EMBEDDED = {
    "embedded": (f"{B}type S struct{{ B }}", "S.f"),
    "twice": (f"{B}type M struct{{ B }}\ntype S struct{{ n int; M }}", "S.f"),
    "a pointer to itself": (f"{B}type S struct{{ *S; B }}", "S.f"),
    "its own": (f"{B}type S struct{{ B }}\nfunc (s *S) f(x int) int {{ return s.B.f(x) }}", "S.f"),
    "another name": (f"{B}type S = B", "S.f"),
}  # fmt: skip


@pytest.mark.parametrize("name", EMBEDDED)
def test_a_type_has_the_methods_of_what_it_embeds(name: str, harness: Callable) -> None:
    source, entry = EMBEDDED[name]
    assert harness("go", f"package main\n{source}", entry, ["[1]"]).values == ["2"]


def test_methods_of_generic_types_are_told_as_what_they_are(harness: Callable) -> None:
    source = "package main\ntype S[T any] struct{}\nfunc (s *S[T]) f(x int) int { return x }\n"
    load = json.loads(harness("go", source, "g", ["[1]"]).frames[0])
    assert load["m"] == "g is not a function of the candidate; it has S.f"
    assert "candidate.go:2:7: S.f has type parameters" in harness("go", source, "S.f", ["[1]"]).stderr
    made = "package main\ntype B[T any] struct{}\nfunc (b B[T]) f(x T) T { return x }\ntype S struct{ B[int] }"
    assert harness("go", made, "S.f", ["[1]"]).values == ["1"]


def test_another_type_has_not_the_methods_of_what_it_is_made_of(harness: Callable) -> None:
    load = json.loads(harness("go", f"package main\n{B}type S B", "S.f", ["[1]"]).frames[0])
    assert load["t"] == "EntryPointError"


LOOP = 'package main\nimport ("fmt"; "m/part")\nfunc main() { fmt.Print(part.Loop()) }'
PART = "package part\nfunc Loop() (n int) { var all []func() int; for i := 0; i < 3; i++ { all = append(all, func() int { return i }) }; for _, f := range all { n = n*10 + f() }; return }"


@pytest.mark.parametrize(
    ("module", "printed"),
    [("module m\n\ngo 1.20\n", "333"), ("module m // mine\ngo 1.22.3 // new\n", "12"), ('module "m"\n', "333")],
)
def test_a_module_is_compiled_in_the_version_of_the_language_that_it_names(
    module: str, printed: str, run_program: Callable
) -> None:
    ran = run_program("go", LOOP, files={"go.mod": module, "part/part.go": PART})
    assert (ran.result.outcome, ran.stdout) == (Outcome.RETURNED, printed), ran


def test_a_program_without_a_module_is_of_the_newest_version_of_the_language(run_program: Callable) -> None:
    source = PART.replace("package part", "package main") + "\nfunc main() { println(Loop()) }"
    assert run_program("go", source).stderr == "12\n"


WITH_FILES = """package main
import (
	"embed"
	"fmt"
	"m/part"
	"io/fs"
)
//go:embed a.txt
var text string
//go:embed "b c.txt" data
var some embed.FS
//go:embed all:data *.txt
var all embed.FS
func list(files embed.FS) (names []string) {
	fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, _ error) error {
		if !entry.IsDir() { names = append(names, name) }
		return nil
	})
	return
}
func main() { fmt.Println(text, part.Text, list(some), list(all)) }
"""


def test_a_program_embeds_the_files_beside_it(run_program: Callable) -> None:
    files = {"go.mod": "module m\ngo 1.22\n", "a.txt": "A", "b c.txt": "B", "data/x": "", "data/.y": "", "data/d/_z": "",
             "data/other/go.mod": "module other\n", "data/other/w": "",
             "part/part.go": 'package part\nimport _ "embed"\n//go:embed t.txt\nvar Text string\n', "part/t.txt": "T"}  # fmt: skip
    ran = run_program("go", WITH_FILES, files=files)
    assert ran.stdout == "A T [b c.txt data/x] [a.txt b c.txt data/.y data/d/_z data/x]\n", ran


@pytest.mark.parametrize("pattern", ["none.txt", "../a.txt", "[", ".", "empty"])
def test_what_cannot_be_embedded_is_a_compile_error(pattern: str, run_program: Callable) -> None:
    source = f'package main\nimport _ "embed"\n//go:embed {pattern}\nvar text string\nfunc main() {{}}'
    ran = run_program("go", source, files={"go.mod": "module m\ngo 1.22\n", "empty/.x": ""})
    assert ran.result.outcome is Outcome.COMPILE_ERROR
    assert ran.result.detail.startswith("candidate.go:3:12: pattern "), ran
