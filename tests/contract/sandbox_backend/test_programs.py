"""Running whole programs."""

import time

from sandbox_executor.domain.outcomes import Outcome

MIB = 2**20


def test_input_arguments_files_and_output(bench):
    source = """
import os, sys
print(sys.argv[1:], sys.stdin.read(), open("data/in.txt").read(), __name__, os.getcwd())
print("words", file=sys.stderr)
"""
    ran = bench.program(source, files={"data/in.txt": b"content"}, stdin=b"typed", arguments=["a", "b c", "-x"])
    assert ran.result.outcome is Outcome.RETURNED
    assert ran.result.exit_code == 0
    assert ran.stdout == b"['a', 'b c', '-x'] typed content __main__ /work\n"
    assert ran.stderr == b"words\n"


def test_exit_codes_signals_and_tracebacks(bench):
    assert bench.program("import sys; sys.exit(7)").result.exit_code == 7
    assert bench.program("import sys; sys.exit('words')").stderr == b"words\n"
    failed = bench.program("def g():\n    raise ValueError('x')\ng()")
    assert (failed.result.outcome, failed.result.exit_code) == (Outcome.EXITED, 1)
    text = failed.stderr.decode()
    assert text.startswith("Traceback (most recent call last):\n")
    assert "ValueError: x" in text
    assert "harness" not in text
    assert "library" not in text
    killed = bench.program("import os; os.kill(os.getpid(), 11)")
    assert killed.result.outcome is Outcome.KILLED
    assert killed.result.exit_code == 139


def test_exit_hooks_and_threads_of_a_program_run_to_their_end(bench):
    source = """
import atexit, threading, time
atexit.register(print, "last")
threading.Thread(target=lambda: (time.sleep(0.1), print("thread"))).start()
print("main")
"""
    assert bench.program(source).stdout == b"main\nthread\nlast\n"


def test_dataclasses_pickles_and_main_guards_work(bench):
    source = """
import pickle
from dataclasses import dataclass
@dataclass
class P:
    x: int
if __name__ == "__main__":
    print(pickle.loads(pickle.dumps(P(3))))
"""
    ran = bench.program(source)
    assert ran.stdout == b"P(x=3)\n", ran.stderr


def test_a_syntax_error_is_told(bench):
    ran = bench.program("print('a'\n")
    assert ran.result.outcome in (Outcome.EXITED, Outcome.COMPILE_ERROR)
    assert b"SyntaxError" in ran.stderr


def test_large_input_and_output_flow_both_ways(bench):
    source = "import sys\nfor line in sys.stdin: sys.stdout.write(line)"
    data = b"".join(b"%08d %s\n" % (i, b"x" * 90) for i in range(30_000))
    ran = bench.program(source, stdin=data, output_bytes=8 * MIB)
    assert ran.stdout == data


def test_input_that_is_not_read_is_no_fault(bench):
    assert bench.program("print(1)", stdin=b"x" * 5 * MIB).stdout == b"1\n"


def test_limits(bench):
    assert bench.program("while True: pass", total_timeout_s=0.7).result.outcome is Outcome.TIMED_OUT
    flood = bench.program("while True: print('x' * 1000)", output_bytes=1 * MIB)
    assert flood.result.outcome is Outcome.OUTPUT_LIMIT
    assert len(flood.stdout) <= 1 * MIB
    memory = bench.program("b = []\nwhile True: b.append(bytearray(1 << 20))", memory_bytes=96 * MIB)
    assert memory.result.outcome is Outcome.MEMORY


def test_artefacts_are_regular_files_beneath_the_folder_and_nothing_else(bench):
    source = """
import os
os.makedirs("deep/er", exist_ok=True)
open("plain.txt", "w").write("plain")
open("deep/er/file.bin", "wb").write(bytes(range(256)))
open("secret.txt", "w").write("mine")
os.chmod("secret.txt", 0)
os.symlink("plain.txt", "link.txt")
os.symlink("/etc/passwd", "passwd")
os.symlink("/etc", "etc")
os.symlink("deep", "shallow")
os.link("plain.txt", "hard.txt")
os.mkfifo("pipe")
os.mkdir("folder")
os.symlink("loop", "loop")
"""
    wanted = ["plain.txt", "deep/er/file.bin", "secret.txt", "link.txt", "passwd", "etc/passwd", "shallow/er/file.bin",
              "pipe", "folder", "loop", "absent", "main.py", "hard.txt"]  # fmt: skip
    started = time.monotonic()
    ran = bench.program(source, artefacts=wanted)
    assert ran.result.outcome is Outcome.RETURNED, ran.stderr
    assert ran.files == {
        "plain.txt": b"plain",
        "deep/er/file.bin": bytes(range(256)),
        "secret.txt": b"mine",
        "hard.txt": b"plain",
    }
    assert time.monotonic() - started < 120


def test_artefacts_are_brought_after_a_failure_too(bench):
    ran = bench.program("open('log', 'w').write('so far')\nraise SystemExit(2)", artefacts=["log"])
    assert ran.files == {"log": b"so far"}


def test_artefacts_larger_than_the_cap_are_left(bench):
    ran = bench.program(
        "open('large', 'wb').write(bytes(40 << 20))\nopen('small', 'w').write('s')", artefacts=["large", "small"]
    )
    assert ran.files == {"small": b"s"}


def test_files_of_the_caller_are_writable_for_the_program(bench):
    ran = bench.program(
        "open('a/b', 'a').write('2')\nopen('a/c', 'w').write('3')", files={"a/b": b"1"}, artefacts=["a/b", "a/c"]
    )
    assert ran.files == {"a/b": b"12", "a/c": b"3"}


def test_what_a_program_starts_ends_with_it(bench, leftovers):
    source = """
import subprocess, sys
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print("started")
"""
    started = time.monotonic()
    assert bench.program(source).stdout == b"started\n"
    assert time.monotonic() - started < 120
    assert leftovers()["processes"] == 0
