# wrong: lists and maps are written as JSON (double quotes, null), not as Python shows them
import json


def _text(cell):
    if isinstance(cell, (list, tuple, dict)):
        return json.dumps(cell)
    return str(cell)


def text_table_get_table(separator: str, table: list[list[int | list[object] | dict[object, object] | str | None]]) -> str:
    return "".join(separator.join(map(_text, row)) + "\n" for row in table)
