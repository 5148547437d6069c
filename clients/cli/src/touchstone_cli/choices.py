"""Values that options take from a closed list: anything else is refused with what is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from touchstone_cli.errors import CliError

# Languages whose packages can be prepared.
PREPARED = ("python", "java", "javascript", "typescript")
LANGUAGES = ("python", "javascript", "typescript", "java", "go", "php")
KINDS = ("SC", "WSC")
DIFFICULTIES = ("Easy", "Medium", "Hard")
SEARCH_MODES = ("plain", "augmented")
CODE_KINDS = ("function", "method", "nested", "class")
RELEASE_FORMATS = ("code2bench", "evalplus", "livecodebench", "lm-eval", "parquet")
LABEL_FORMATS = ("beir", "cosqa", "triples")


def one_of(value: str, known: Sequence[str], option: str, *, empty: bool = True) -> str:
    """The known value that is meant, whatever its case.

    Args:
        value: What the user gave.
        known: The closed list.
        option: Name of the option, for the error.
        empty: Whether leaving it out is allowed.

    Raises:
        CliError: it is not known; exit code 2.
    """
    if empty and not value:
        return ""
    for each in known:
        if each.lower() == value.strip().lower():
            return each
    raise CliError(f"{option} {value}: not known; one of {', '.join(known)}", exit_code=2)


def listed(texts: Sequence[str] | None, option: str) -> list[str]:
    """The parts of an option that takes several, by commas or repeated; none where it was left out.

    Args:
        texts: What the user gave, an option each.
        option: Name of the option, for the error.

    Raises:
        CliError: it was given, and names nothing: left out it would ask for all; exit code 2.
    """
    parts = [part for text in texts or [] for part in text.replace(",", " ").split()]
    if texts and not parts:
        raise CliError(f"{option}: names nothing; leave it out to take all", exit_code=2)
    return parts


def each_of(values: Iterable[str], known: Sequence[str], option: str) -> list[str]:
    """The known values that are meant; as `one_of` for each."""
    return [one_of(value, known, option, empty=False) for value in values]
