"""Folders of models that do not hold what they should."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from embedder.errors import ModelUnavailableError
from touchstone_runtime.errors import TouchstoneError, words_of


@contextmanager
def loading(folder: Path, thing: str, way_out: str) -> Iterator[None]:
    """Give whatever goes wrong while a model is loaded its name.

    Args:
        folder: What it is loaded from.
        thing: What is loaded.
        way_out: What to do where it is broken.

    Raises:
        ModelUnavailableError: it cannot be loaded.
    """
    try:
        yield
    except TouchstoneError:
        raise
    except Exception as error:
        # Each library has errors of its own for files that are cut off, some of them of no kind at all.
        raise ModelUnavailableError(
            f"cannot be loaded from {folder}: {first_line(error)}", thing=thing, way_out=way_out
        ) from error


def first_line(error: Exception) -> str:
    """The first line of what an error says; its kind where it says nothing."""
    return words_of(error) or type(error).__name__
