"""What the place of a file in its source says of it."""

from __future__ import annotations

_MOST_CHARACTERS = 400
_COPIES = ("_vendor", "vendor", "vendored", "_vendored", "third_party", "thirdparty", "extern", "externals")
# Frameworks of the web have a module of tests beside each module that they test.
_TEST_FILES = ("test.py", "tests.py")
_TEST_ENDS = ("_test.py", "_tests.py")


def vendored(path: str) -> str:
    """The folder that holds copies of other projects' code, or ""."""
    return next((part for part in path.lower().split("/")[:-1] if part in _COPIES), "")


def is_test(path: str) -> bool:
    """Whether a file belongs to tests, documentation or examples."""
    parts = path.lower().split("/")
    return (
        is_run(path)
        or any(part in ("docs", "examples", "benchmarks") for part in parts[:-1])
        or parts[-1].startswith(("setup.", "noxfile"))
    )


def is_project(path: str) -> bool:
    """Whether a file says what the project at the top of a source is, and what its tests need."""
    return path.rpartition("/")[2] == "pyproject.toml" and path.count("/") <= 1


def is_run(path: str) -> bool:
    """Whether a file is part of what a test runner would run, or lies beside it: documentation and examples are not."""
    parts = path.lower().split("/")
    named = parts[-1].startswith(("test_", "conftest")) or parts[-1].endswith(_TEST_ENDS)
    return named or parts[-1] in _TEST_FILES or any(part in ("test", "tests", "testing") for part in parts[:-1])


def is_text(path: str) -> bool:
    """Whether a path can be written down: text in Unicode, and no longer than anybody reads."""
    return len(path) <= _MOST_CHARACTERS and "\0" not in path and not any("\ud800" <= each <= "\udfff" for each in path)
