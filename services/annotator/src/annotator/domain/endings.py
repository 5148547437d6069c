"""What a program says once its tests have come to their end, so that one that ends before is none that passed."""

from __future__ import annotations

import re
from dataclasses import replace

from annotator.domain.declarations import blanked
from annotator.domain.program import ProgramTest, program_of
from annotator.domain.subject import Subject

# What is put behind everything; it speaks past the tests, which may catch what is printed. Node tells of an end that
# nobody asked for, once nothing is left to wait for.
_BEHIND = {
    "python": "print({!r}, file=__import__('sys').__stdout__)",
    "php": "echo {!r};",
    "javascript": "process.once('beforeExit', () => {{ process.getBuiltinModule('fs').writeSync(1, {!r}); }});",
}
_BEHIND["typescript"] = _BEHIND["javascript"]
# Where nothing can be put behind, what runs the tests is called by one that speaks when it comes back.
_MAIN = {
    "java": re.compile(
        r"((?:(?:public|static|final)\s+)+void\s+)main(\s*\(\s*(?:final\s+)?String\s*(?:\[\s*\]|\.\.\.)\s*(\w+)\s*\)"
        r"(?:\s*throws\s+[\w.,\s]+)?\s*\{)"
    ),
    "go": re.compile(r"^(func\s+)main(\s*\(\s*\)\s*\{)", re.MULTILINE),
}
_CALLER = {
    "java": "public static void main(String[] {2}) throws Throwable "
    "{{ java.io.PrintStream toldBy = System.out; {0}({2}); toldBy.println({1}); }} ",
    "go": "func main() {{ toldBy := os.Stdout; {0}(); fmt.Fprintln(toldBy, {1}) }}\n\n",
}
_RENAMED = "testsOfMain"


def ending_program(subject: Subject, test: ProgramTest, ending: str) -> str:
    """The program of a test that prints something when its tests are over; empty where no place for it is found.

    Args:
        subject: The code under test.
        test: The test.
        ending: What is printed: letters, digits and blanks.
    """
    if behind := _BEHIND.get(subject.language):
        return f"{program_of(subject, test)}\n{behind.format(ending)}\n"
    text = blanked(test.tests, subject.language)
    found = list(_MAIN[subject.language].finditer(text))
    if len(found) != 1 or _RENAMED in text:
        return ""
    main = found[0]
    caller = _CALLER[subject.language].format(_RENAMED, f'"{ending}"', main[3] if subject.language == "java" else "")
    tests = f"{test.tests[: main.start()]}{caller}{main[1]}{_RENAMED}{main[2]}{test.tests[main.end() :]}"
    return program_of(subject, replace(test, tests=tests))
