"""Table programs by language behind the port."""

from __future__ import annotations

from collections.abc import Sequence

from pbt_generator.domain.task.tables import TABLES, InexpressibleError, table_program


class TablePrograms:
    """Implements `ports.Tables` with the writers of `domain.tables`."""

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages it can write."""
        return tuple(TABLES)

    def program(self, language: str, entry_point: str, arguments: Sequence[str], expected: Sequence[str]) -> str | None:
        """The program's text, or None where a value has no counterpart in the language."""
        try:
            return table_program(language, entry_point, list(zip(arguments, expected, strict=True)))
        except InexpressibleError:
            return None
