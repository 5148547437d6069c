"""How an uncaught exception is told: each language names it at a place of its own in what it prints.

Behind that line come stacks, fields, causes and whatever else a message holds, so that the last lines do not tell.
"""

from __future__ import annotations

import re

# What stands right before the name of the exception that ended a program.
_BEFORE = {
    "python": re.compile(r"^Traceback \(most recent call last\):\n(?:[ \t][^\n]*+\n)*+", re.MULTILINE),
    "java": re.compile(r"^Exception in thread \"[^\"\n]*\" ", re.MULTILINE),
    "go": re.compile(r"^(?=panic: )", re.MULTILINE),
    "php": re.compile(r"^(?:PHP )?Fatal error: +(?:Uncaught )?|^Next (?=[\w\\]+(?::| in ))", re.MULTILINE),
    # The line of code that threw, and a mark below it.
    "javascript": re.compile(r"^\S+:\d+\n[^\n]*+\n[ \t]*\^+\n\n?(?=\S)", re.MULTILINE),
}
_BEFORE["typescript"] = _BEFORE["javascript"]
# As it looks where nothing stands before it: a Python that could not be read, a runner of tests.
_NAMED = re.compile(r"(?:(?:PHP )?Fatal error: +)?(?:Uncaught )?[\w.\\]*(?:Error|Exception)\b")


def headline(output: str, language: str = "") -> str:
    """The line that names the exception which ended a program; the last line where none does.

    Args:
        output: What the program printed.
        language: That of the program; without one the line is told by its looks.

    Example:
        >>> headline("Traceback (most recent call last):\\n  File ...\\nAssertionError: a\\nTypeError: b", "python")
        'AssertionError: a'
        >>> headline('Exception in thread "main" java.lang.AssertionError: 1\\n\\tat Main.main(Main.java:3)', "java")
        'java.lang.AssertionError: 1'
    """
    return _told(output, language) or _by_looks(output)


def closing_words(output: str, language: str = "") -> str:
    """What tells why a program ended: the line that names the exception, or else its last lines.

    Args:
        output: What the program printed.
        language: That of the program.
    """
    if told := _told(output, language):
        return told
    lines = [line for line in output.splitlines() if line.strip()]
    # A test runner prints a summary after the exception, so that the last line alone does not tell.
    return "\n".join(line for line in lines[-6:] if re.match(r"\S", line)) or (lines[-1] if lines else "")


def _told(output: str, language: str) -> str:
    """The line behind the last of the marks that a language sets; empty where it has set none."""
    before = list(_BEFORE[language].finditer(output)) if language in _BEFORE else []
    return output[before[-1].end() :].partition("\n")[0].strip() if before else ""


def _by_looks(output: str) -> str:
    lines = [line for line in output.splitlines() if line.strip()]
    return next((line for line in reversed(lines) if _NAMED.match(line)), lines[-1] if lines else "")
