"""What a configured model says of a function: opinions, words, and wrong programs with inputs that show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MAX_MISTAKES = 8
MAX_SHOWING = 4
MAX_FURTHER = 24


@dataclass(frozen=True)
class Opinion:
    """What a language model thinks of a function as a task."""

    suitable: bool
    reason: str
    difficulty: str
    model: str


@dataclass(frozen=True)
class Wording:
    """An instruction written by a language model."""

    text: str
    model: str


@dataclass(frozen=True)
class Description:
    """What a language model says of a function, which it saw.

    Attributes:
        text: What comes back, in prose.
        parameters: What each parameter means.
        result: What the result is.
        model: Who says so.
    """

    text: str
    parameters: Mapping[str, str]
    result: str
    model: str

    @property
    def docstring(self) -> str:
        """The same as an author would write it down."""
        listed = [f"    {name}: {' '.join(words.split())}" for name, words in self.parameters.items()]
        told = "\n".join(["Args:", *listed]) if listed else ""
        result = f"Returns:\n    {' '.join(self.result.split())}" if self.result.strip() else ""
        return "\n\n".join(part for part in (self.text.strip(), told, result) if part)


@dataclass(frozen=True)
class Mistake:
    """A program such as somebody hands in who misread the task.

    Attributes:
        words: What is wrong with it.
        code: A whole module that defines the entry point.
        inputs: JSON arrays with one value a parameter, in the portable form.
    """

    words: str
    code: str
    inputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class MadeUp:
    """What a model made up for one function; foreign programs and data, of which nothing is taken on trust.

    Attributes:
        mistakes: Wrong programs.
        inputs: Further inputs that may show others.
        model: Who was asked.
    """

    mistakes: tuple[Mistake, ...] = ()
    inputs: tuple[str, ...] = ()
    model: str = ""

    def with_more(self, other: MadeUp) -> MadeUp:
        """Both together."""
        return MadeUp((*self.mistakes, *other.mistakes), (*self.inputs, *other.inputs), self.model)


__all__ = ["MAX_FURTHER", "MAX_MISTAKES", "MAX_SHOWING", "Description", "MadeUp", "Mistake", "Opinion", "Wording"]
