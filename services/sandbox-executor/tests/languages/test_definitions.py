"""Definitions as data: placeholders, heap sizes, last words."""

import pytest

from sandbox_executor.domain.languages import LANGUAGES, fill, read_death

PLACES = {
    "source": "/work/x",
    "entry": "f",
    "harness": "/harness",
    "runtime": "/runtime/x",
    "root": "/runtime",
    "toolchain": "/toolchains/x",
    "heap_mib": "64",
}


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_command_can_be_filled(name: str) -> None:
    language = LANGUAGES[name]
    commands = [language.run, language.execute, *language.build, *language.execute_build]
    commands += [*(language.build_checked or ()), *(language.execute_build_checked or ())]
    for command in commands:
        for part in fill(command, PLACES):
            assert "{" not in part
    assert all("{" not in part for part in fill(tuple(language.environment.values()), PLACES))


def test_an_unknown_placeholder_is_an_error() -> None:
    with pytest.raises(KeyError):
        fill(("{nothing}",), PLACES)


def test_the_heap_leaves_room_beside_it() -> None:
    for language in LANGUAGES.values():
        heap = language.heap_mib(512 * 1024 * 1024)
        assert 200 <= heap < 480
    assert LANGUAGES["java"].heap_mib(0) == 8


@pytest.mark.parametrize(
    ("language", "words", "outcome", "error_type"),
    [
        (
            "javascript",
            "<--- JS stacktrace --->\n\nFATAL ERROR: Ineffective mark-compacts near heap limit "
            "Allocation failed - JavaScript heap out of memory\n",
            "memory",
            "HeapLimit",
        ),
        (
            "go",
            "runtime: goroutine stack exceeds 67108864-byte limit\nfatal error: stack overflow",
            "raised",
            "StackOverflow",
        ),
        ("go", "panic: assignment to entry in nil map\n\ngoroutine 7 [running]:", "raised", "panic"),
        ("go", "fatal error: all goroutines are asleep - deadlock!", "raised", "runtime.Error"),
        ("go", "fatal error: out of memory", "memory", "runtime.Error"),
        (
            "java",
            'Exception in thread "x" java.lang.OutOfMemoryError: Java heap space',
            "memory",
            "java.lang.OutOfMemoryError",
        ),
        ("php", "PHP Fatal error:  Allowed memory size of 134217728 bytes exhausted (tried…", "memory", "MemoryLimit"),
        ("php", "Fatal error: Cannot redeclare f() (previously declared in x:1)", "exited", "FatalError"),
    ],
)
def test_last_words(language: str, words: str, outcome: str, error_type: str) -> None:
    death = read_death(LANGUAGES[language], "earlier output\n" + words)
    assert death is not None
    assert (death.outcome, death.error_type) == (outcome, error_type)
    assert death.message.split()[0] in words


def test_a_fatal_error_while_loading_is_a_compile_error() -> None:
    death = read_death(LANGUAGES["php"], "Fatal error: Cannot redeclare f()", loading=True)
    assert death is not None
    assert death.outcome == "compile_error"


def test_other_words_say_nothing() -> None:
    assert read_death(LANGUAGES["go"], "exit status 3\n") is None
