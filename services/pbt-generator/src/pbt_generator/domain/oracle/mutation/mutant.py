"""What a mutant is, and the program that holds all of one ground truth."""

from __future__ import annotations

from dataclasses import dataclass

# The operator of literals that a module, a class or a default keeps.
KEPT = "module constant"


@dataclass(frozen=True)
class Mutant:
    """One small change.

    Attributes:
        number: Its number in the program, from 1.
        operator: Name of the operator.
        line: Line in the ground truth.
        change: What became what, for people.
        witnessed: Whether its place can be watched without side effects.
        reads: The parameters that its place depends on, when it depends on nothing else; else None.
        proof: Why its place always has the original's value; empty when nothing shows it.
        of_result: The proof says that the result is the original's, whatever the place has.
        reading: The rule of another language, or of another reader, that it follows; such a mutant does not count for
            the score. Empty for one that does.
        differs_on: The one parameter that its place looks at, and all values of it for which the place gives another
            value, where these are a few; None where they are not, or not known.
        differs_beyond: Values of it that stand for many others on which the place differs, too: where it may hold such
            a one, the few are not all.
        places: The lines that read what it changes, where that is not its own line.
    """

    number: int
    operator: str
    line: int
    change: str
    witnessed: bool = True
    reads: frozenset[str] | None = None
    proof: str = ""
    differs_on: tuple[str, tuple[object, ...]] | None = None
    differs_beyond: tuple[object, ...] = ()
    reading: str = ""
    of_result: bool = False
    places: frozenset[int] = frozenset()


@dataclass(frozen=True)
class MutantProgram:
    """All mutants of one ground truth in one program.

    Attributes:
        source: The program; mutant 0 is the original.
        mutants: What each number means.
    """

    source: str
    mutants: tuple[Mutant, ...]
