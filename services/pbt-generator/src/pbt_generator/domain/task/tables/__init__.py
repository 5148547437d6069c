"""Table programs: in each language, a program that knows the answer to every case of a suite, and nothing else.

Run through the candidates' path, such a program must pass every case, and fail one that expects something else; so must
a twin that answers one case wrongly. That proves codec, runner and comparator for every value of the suite.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pbt_generator.domain.task.tables import go, java, javascript, python, typescript
from pbt_generator.domain.task.tables.notation import CaseText, InexpressibleError


class TableProgram(Protocol):
    """How every language's module makes one."""

    def __call__(self, entry_point: str, cases: Sequence[CaseText], *, broken: bool = False) -> str:
        """The program's source."""
        ...


TABLES: dict[str, TableProgram] = {
    "python": python.table_program,
    "javascript": javascript.table_program,
    "typescript": typescript.table_program,
    "java": java.table_program,
    "go": go.table_program,
}


def table_program(language: str, entry_point: str, cases: Sequence[CaseText], *, broken: bool = False) -> str:
    """Write the table program of a suite.

    Args:
        language: One of `TABLES`.
        entry_point: Name of the function that candidates define.
        cases: For each case the arguments and the expected result, JSON texts in the portable form.
        broken: Make the twin that answers one case wrongly.

    Raises:
        InexpressibleError: a value has no counterpart in the language.
    """
    return TABLES[language](entry_point, cases, broken=broken)


__all__ = ["TABLES", "CaseText", "InexpressibleError", "TableProgram", "table_program"]
