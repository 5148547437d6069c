"""The table program in Python, where the portable form itself can be read: every kind of value has its place."""

from __future__ import annotations

from collections.abc import Sequence

from pbt_generator.domain.task.tables.notation import CaseText

_PROGRAM = """\
import touchstone_values as _values

_ROWS = [
{rows}
]
_TABLE = {{}}
for _text, _answer in _ROWS:
    _given = _values.decode(_text)
    _TABLE[_values.encode(list(_given.values()) if isinstance(_given, dict) else _given)] = _answer


def {entry}(*arguments, **named):
    return _values.decode(_TABLE[_values.encode([*arguments, *named.values()])])
"""


def table_program(entry_point: str, cases: Sequence[CaseText], *, broken: bool = False) -> str:
    """Write the program; see `tables.table_program`."""
    rows = list(cases)
    if broken and rows:
        given, answer = rows[len(rows) // 2]
        rows = [(other, f"[{answer}]") if other == given else (other, text) for other, text in rows]
    return _PROGRAM.format(rows="\n".join(f"    ({given!a}, {answer!a})," for given, answer in rows), entry=entry_point)
