# ruff: noqa: E501  programs of other languages, as their authors write them
"""Every language inside the sandbox: cases, programs, and each way in which they fail."""

import json
import re
from collections.abc import Callable

import pytest

from sandbox_executor.adapters import cases
from sandbox_executor.adapters.toolchains import Toolchains
from sandbox_executor.domain.outcomes import Outcome

LANGUAGES = ["javascript", "typescript", "java", "go", "php"]
MIB = 1024 * 1024

# One candidate in each language; what it does is decided by its argument.
CANDIDATE = {
    "javascript": """
        function f(x) {
          if (x === "throw") throw new RangeError("thrown");
          if (x === "loop") for (;;) {}
          if (x === "exit") process.exit(3);
          if (x === "memory") { const all = []; for (;;) all.push(new Array(100000).fill(all.length)); }
          if (x === "print") for (;;) console.log("x".repeat(100000));
          if (x === "abort") process.abort();
          console.log("printed");
          return x;
        }""",
    "typescript": """
        enum Way { Loop = "loop" }
        export function f(x: unknown): unknown {
          if (x === "throw") throw new RangeError("thrown");
          if (x === Way.Loop) for (;;) {}
          if (x === "exit") process.exit(3);
          if (x === "memory") { const all: number[][] = []; for (;;) all.push(new Array<number>(100000).fill(all.length)); }
          if (x === "print") for (;;) console.log("x".repeat(100000));
          if (x === "abort") process.abort();
          console.log("printed");
          return x;
        }""",
    "java": """
        import java.util.*;
        public class Solution {
            public static Object f(Object x) {
                if ("throw".equals(x)) throw new IllegalStateException("thrown");
                if ("loop".equals(x)) while (true) {}
                if ("exit".equals(x)) System.exit(3);
                if ("memory".equals(x)) { List<int[]> all = new ArrayList<>(); while (true) all.add(new int[100000]); }
                if ("print".equals(x)) while (true) System.out.println("x".repeat(100000));
                if ("abort".equals(x)) Runtime.getRuntime().halt(134);
                System.out.println("printed");
                return x;
            }
        }""",
    "go": """
        package main

        import ("errors"; "fmt"; "os"; "strings"; "syscall"; "time")

        func f(x any) (any, error) {
            switch x {
            case "throw": return nil, errors.New("thrown")
            case "loop": for {}
            case "exit": os.Exit(3)
            case "memory": all := [][]byte{}; for { b := make([]byte, 1<<20); for i := range b { b[i] = 1 }; all = append(all, b) }
            case "print": for { fmt.Println(strings.Repeat("x", 100000)) }
            // Which thread gets the signal, and when, is the kernel's to say.
            case "abort": syscall.Kill(os.Getpid(), syscall.SIGABRT); time.Sleep(time.Minute)
            }
            fmt.Println("printed")
            return x, nil
        }""",
    "php": """<?php
        function f($x) {
            if ($x === "throw") throw new RangeException("thrown");
            if ($x === "loop") while (true) {}
            if ($x === "exit") exit(3);
            if ($x === "memory") { $all = []; while (true) $all[] = str_repeat("x", 100000); }
            if ($x === "print") while (true) echo str_repeat("x", 100000);
            echo "printed\\n";
            return $x;
        }""",
}
DEEP = "[" * 150 + "]" * 150
VALUES = [
    '"Grüße 😀 \\u0000"',
    DEEP,
    '{"a":[1,2.5,null,true]}',
    '{"$":"int","v":"123456789012345678901234567890"}',
    '{"$":"set","v":[1,2]}',
]


@pytest.mark.parametrize("language", ["python", *LANGUAGES])
def test_cases_that_are_asked_for_one_at_a_time(run_cases: Callable, language: str, monkeypatch: pytest.MonkeyPatch):
    """As they are where answers that came together were late: no harness waits for a question more."""
    begin = cases.CasesRun.__init__

    def careful(self: cases.CasesRun, *arguments: object) -> None:
        begin(self, *arguments)  # type: ignore[arg-type]
        self.careful = 1000

    monkeypatch.setattr(cases.CasesRun, "__init__", careful)
    source = CANDIDATE.get(language, "def f(x): return x")
    found = run_cases(language, source, "f", [json.dumps([text]) for text in "abcde"], case_timeout_s=60)
    assert [json.loads(result.value) for result in found] == [*"abcde"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_values_come_back(language: str, run_cases: Callable) -> None:
    results = run_cases(language, CANDIDATE[language], "f", [f"[{value}]" for value in VALUES])
    assert [r.outcome for r in results] == [Outcome.RETURNED] * len(VALUES), results[0]
    assert [json.loads(r.value) for r in results] == [json.loads(value) for value in VALUES]
    assert "printed" in "".join(r.output for r in results)
    assert results[-1].job_cpu_s > 0
    assert results[-1].memory_bytes > 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_failure_is_its_own_and_the_rest_goes_on(language: str, run_cases: Callable) -> None:
    inputs = ['["throw"]', "[1]", '["exit"]', "[2]", '["loop"]', "[3]"]
    results = run_cases(language, CANDIDATE[language], "f", inputs, case_timeout_s=1.5)
    assert [r.outcome for r in results] == [
        Outcome.RAISED,
        Outcome.RETURNED,
        Outcome.EXITED,
        Outcome.RETURNED,
        Outcome.TIMED_OUT,
        Outcome.RETURNED,
    ]
    lines = {"javascript": " (line 3)", "typescript": " (line 4)"}
    assert results[0].error_message == "thrown" + lines.get(language, "")
    assert "3" in results[2].error_message
    assert [results[i].value for i in (1, 3, 5)] == ["1", "2", "3"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_memory(language: str, run_cases: Callable) -> None:
    results = run_cases(
        language, CANDIDATE[language], "f", ['["memory"]', "[1]"], memory_bytes=256 * MIB, case_timeout_s=30.0
    )
    assert [r.outcome for r in results] == [Outcome.MEMORY, Outcome.RETURNED], results[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_output(language: str, run_cases: Callable) -> None:
    (result,) = run_cases(language, CANDIDATE[language], "f", ['["print"]'], output_bytes=1 * MIB)
    assert result.outcome is Outcome.OUTPUT_LIMIT


@pytest.mark.parametrize("language", ["javascript", "go"])
def test_signals(language: str, run_cases: Callable) -> None:
    (result,) = run_cases(language, CANDIDATE[language], "f", ['["abort"]'])
    # A Go program without its signal handler ends by itself, with words.
    assert result.outcome in (Outcome.KILLED, Outcome.EXITED)
    assert result.outcome is Outcome.EXITED or "SIGABRT" in result.error_type


BROKEN = {
    "javascript": ("function f(x) {\n  return (x;\n}", "return (x;"),
    "typescript": ("function f(x: number) {\n  return (x;\n}", "return (x;"),
    "java": ("class A {\n  static int f(int x) { return y; }\n}", "candidate.java:2: error: y cannot be resolved"),
    "go": ("package main\n\nfunc f(x int) int { return y }", "candidate.go:3:28: undefined: y"),
    "php": ("<?php\nfunction f($x) {\n return $x +;\n}", "line 3"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_compile_errors(language: str, run_cases: Callable) -> None:
    source, words = BROKEN[language]
    results = run_cases(language, source, "f", ["[1]", "[2]"])
    assert [r.outcome for r in results] == [Outcome.COMPILE_ERROR] * 2
    assert words in results[0].error_message


@pytest.mark.parametrize("language", LANGUAGES)
def test_missing_entry_point(language: str, run_cases: Callable) -> None:
    results = run_cases(language, CANDIDATE[language], "missing", ["[1]"])
    assert results[0].error_type == "EntryPointError"


def test_php_fatal_while_loading(run_cases: Callable) -> None:
    (result,) = run_cases("php", "<?php function f() {} function f() {}", "f", ["[]"])
    assert result.outcome is Outcome.COMPILE_ERROR
    assert re.search(r"Cannot redeclare (function )?f\(\)", result.error_message)


def test_go_endings(run_cases: Callable) -> None:
    source = """
        package main

        import "sync"

        func f(x int) int {
            switch x {
            case 0: return f(x) + 1
            case 1: go func() { panic("elsewhere") }(); select {}
            case 2: var m sync.Mutex; m.Lock(); m.Lock()
            }
            return x
        }"""
    results = run_cases("go", source, "f", ["[0]", "[1]", "[2]", "[3]"], case_timeout_s=20.0)
    assert [r.outcome for r in results] == [Outcome.RAISED] * 3 + [Outcome.RETURNED]
    assert [r.error_type for r in results] == ["StackOverflow", "panic", "runtime.Error", ""]


def test_typescript_type_check(run_cases: Callable, toolchains: Toolchains, run_program: Callable) -> None:
    toolchains.places("typescript", type_check=True)
    wrong = "export function f(x: number): string {\n  return x;\n}"
    assert run_cases("typescript", wrong, "f", ["[1]"])[0].outcome is Outcome.RETURNED
    (result,) = run_cases("typescript", wrong, "f", ["[1]"], type_check=True)
    assert result.outcome is Outcome.COMPILE_ERROR
    assert "candidate.ts(2,3): error TS2322" in result.error_message
    right = "export function f(x: number): string {\n  console.log(x);\n  return `${x}`;\n}"
    (result,) = run_cases("typescript", right, "f", ["[1]"], type_check=True)
    assert (result.outcome, result.value) == (Outcome.RETURNED, '"1"')
    assert run_program("typescript", wrong, type_check=True).result.outcome is Outcome.COMPILE_ERROR


PROGRAMS = {
    "javascript": """
        const fs = require("fs");
        fs.writeFileSync("made.txt", "made");
        console.error("err");
        console.log(fs.readFileSync(0, "utf8").trim() + " " + process.argv.slice(2).join(",") + " " + fs.readFileSync("data.txt", "utf8"));
        process.exit(process.argv[2] === "fail" ? 7 : 0);""",
    "typescript": """
        import * as fs from "node:fs";
        enum Code { Fine, Bad = 7 }
        fs.writeFileSync("made.txt", "made");
        console.error("err");
        const words: string = fs.readFileSync(0, "utf8").trim();
        console.log(words + " " + process.argv.slice(2).join(",") + " " + fs.readFileSync("data.txt", "utf8"));
        process.exit(process.argv[2] === "fail" ? Code.Bad : Code.Fine);""",
    "java": """
        import java.nio.file.*;
        public class Anything {
            public static void main(String[] args) throws Exception {
                Files.writeString(Path.of("made.txt"), "made");
                System.err.println("err");
                String line = new java.util.Scanner(System.in).nextLine();
                System.out.println(line + " " + String.join(",", args) + " " + Files.readString(Path.of("data.txt")));
                if (args[0].equals("fail")) System.exit(7);
            }
        }""",
    "go": """
        package main

        import ("bufio"; "fmt"; "os"; "strings")

        func main() {
            os.WriteFile("made.txt", []byte("made"), 0o644)
            fmt.Fprintln(os.Stderr, "err")
            lines := bufio.NewScanner(os.Stdin)
            lines.Scan()
            data, _ := os.ReadFile("data.txt")
            fmt.Println(lines.Text(), strings.Join(os.Args[1:], ","), string(data))
            if os.Args[1] == "fail" { os.Exit(7) }
        }""",
    "php": """<?php
        file_put_contents("made.txt", "made");
        fwrite(STDERR, "err\\n");
        echo trim(fgets(STDIN)), " ", implode(",", array_slice($argv, 1)), " ", file_get_contents("data.txt"), "\\n";
        exit($argv[1] === "fail" ? 7 : 0);""",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_programs(language: str, run_program: Callable) -> None:
    ran = run_program(
        language,
        PROGRAMS[language],
        {"data.txt": "data"},
        "line ü\n",
        arguments=("a", "b"),
        artefacts=("made.txt", "absent.txt"),
    )
    assert ran.result.outcome is Outcome.RETURNED, ran
    assert ran.stdout == "line ü a,b data\n"
    assert ran.stderr == "err\n"
    assert ran.artefacts == {"made.txt": b"made"}
    ran = run_program(language, PROGRAMS[language], {"data.txt": "data"}, "x\n", arguments=("fail",))
    assert (ran.result.outcome, ran.result.exit_code) == (Outcome.EXITED, 7)


PROGRAM_ERRORS = {
    "typescript": "const x: = 1;",
    "java": "public class A { public static void main(String[] a) { missing(); } }",
    "go": "package main\n\nfunc main() { missing() }",
    "php": "<?php echo 1 +;",
}


@pytest.mark.parametrize("language", PROGRAM_ERRORS)
def test_programs_that_do_not_compile(language: str, run_program: Callable) -> None:
    result = run_program(language, PROGRAM_ERRORS[language]).result
    assert result.outcome is Outcome.COMPILE_ERROR
    assert result.detail


def test_java_program_of_several_files(run_program: Callable) -> None:
    files = {"deep/Other.java": 'package deep; public class Other { public static String word() { return "other"; } }'}
    source = "public class Main { public static void main(String[] a) { System.out.println(deep.Other.word()); } }"
    assert run_program("java", source, files).stdout == "other\n"
    ran = run_program(
        "java", 'public class Main { public static void main(String[] a) { throw new IllegalStateException("bad"); } }'
    )
    assert (ran.result.outcome, ran.result.exit_code) == (Outcome.EXITED, 1)
    assert "IllegalStateException: bad" in ran.stderr


def test_go_program_of_several_packages(run_program: Callable) -> None:
    files = {
        "go.mod": "module example.org/m\n\ngo 1.24\n",
        "inner/deep/deep.go": 'package deep\n\nfunc Word() string { return "deep" }\n',
        "inner/inner.go": 'package inner\n\nimport "example.org/m/inner/deep"\n\nfunc Word() string { return deep.Word() + "er" }\n',
        "more.go": 'package main\n\nimport "example.org/m/inner"\n\nfunc word() string { return inner.Word() }\n',
        "more_test.go": "package main\n\nthis is not compiled\n",
    }
    source = 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println(word()) }\n'
    assert run_program("go", source, files).stdout == "deeper\n"
    files["inner/deep/deep.go"] = "package deep\n\nfunc Word() string { return 1 }\n"
    result = run_program("go", source, files).result
    assert result.outcome is Outcome.COMPILE_ERROR
    assert "inner/deep/deep.go:3:29: cannot use 1" in result.detail


@pytest.mark.parametrize("language", LANGUAGES)
def test_long_output_of_programs(language: str, run_program: Callable) -> None:
    programs = {
        "javascript": 'for (let i = 0; i < 30000; i++) console.log("line " + i); process.exit(0)',
        "typescript": 'for (let i: number = 0; i < 30000; i++) console.log("line " + i); process.exit(0)',
        "java": 'public class A { public static void main(String[] a) { for (int i = 0; i < 30000; i++) System.out.println("line " + i); } }',
        "go": 'package main\n\nimport "fmt"\n\nfunc main() { for i := range 30000 { fmt.Println("line", i) } }',
        "php": '<?php for ($i = 0; $i < 30000; $i++) echo "line $i\\n";',
    }
    ran = run_program(language, programs[language])
    assert ran.stdout.splitlines() == [f"line {i}" for i in range(30000)]
    assert run_program(language, programs[language], output_bytes=10_000).result.outcome is Outcome.OUTPUT_LIMIT


def test_memory_of_programs(run_program: Callable) -> None:
    programs = {
        "javascript": "const all = []; for (;;) all.push(new Array(100000).fill(all.length));",
        "java": "public class A { public static void main(String[] a) { java.util.List<int[]> all = new java.util.ArrayList<>(); while (true) all.add(new int[100000]); } }",
        "go": "package main\n\nfunc main() { all := [][]byte{}; for { b := make([]byte, 1<<20); for i := range b { b[i] = 1 }; all = append(all, b) } }",
        "php": '<?php $all = []; while (true) $all[] = str_repeat("x", 100000);',
    }
    for language, source in programs.items():
        assert run_program(language, source, memory_bytes=256 * MIB).result.outcome is Outcome.MEMORY, language


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_of_the_host_is_seen(language: str, run_program: Callable) -> None:
    programs = {
        "javascript": "console.log(JSON.stringify(Object.keys(process.env)), require('fs').existsSync('/root'), require('fs').readdirSync('/home').length)",
        "typescript": "console.log(JSON.stringify(Object.keys(process.env)), require('fs').existsSync('/root'))",
        "java": "public class A { public static void main(String[] a) { System.out.println(System.getenv().keySet()); } }",
        "go": 'package main\n\nimport ("fmt"; "os")\n\nfunc main() { fmt.Println(os.Environ()) }',
        "php": "<?php echo json_encode(array_keys(getenv()));",
    }
    printed = run_program(language, programs[language])
    names = set(re.findall(r"[A-Z_]{3,}", printed.stdout.split("]")[0]))
    names -= {"UTF", "UTC"}
    assert names <= {"HOME", "LANG", "LC_ALL", "PATH", "TMPDIR", "GOMEMLIMIT", "LD_LIBRARY_PATH"}, printed


def test_php_has_what_candidates_take_for_granted(run_cases: Callable) -> None:
    """Character classes, multibyte text, patterns, hashes, dates: none is missing in the PHP that comes with us."""
    source = """<?php
        function f($x) {
            return [
                ctype_digit($x), ctype_alpha('aZ'), ctype_alpha(''), ctype_alpha('é'), ctype_space(" \\n"), ctype_punct('!a'),
                ctype_upper('AB'), ctype_lower('Ab'), ctype_alnum('a1'), ctype_xdigit('fF0g'), ctype_cntrl("\\0\\x7f"),
                mb_strtoupper('é'), mb_strlen('日本'), preg_match('/^\\pL+$/u', 'é'), md5('a'), date('Y', 86400), json_encode([1]),
                filter_var("12", FILTER_VALIDATE_INT), bin2hex(iconv("UTF-8", "UTF-16BE", "é")), array_sum(iterator_to_array((new ArrayObject([1, 2]))->getIterator())), intdiv(7, 2), str_contains('ab', 'b'),
            ];
        }"""
    (result,) = run_cases("php", source, "f", ['["12"]'])
    assert json.loads(result.value) == [
        True, True, False, False, True, False,
        True, False, True, False, True,
        "É", 2, 1, "0cc175b9c0f1b6a831c399e269772661", "1970", "[1]",
        12, "00e9", 3, 3, True,
    ]  # fmt: skip


def test_php_programs_have_them_too(run_program: Callable) -> None:
    ran = run_program("php", "<?php echo ctype_digit('12') ? 'yes' : 'no';")
    assert ran.stdout == "yes"
