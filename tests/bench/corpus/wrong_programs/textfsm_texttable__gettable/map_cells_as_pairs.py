# wrong: a map in a cell is written as key=value pairs


def _text(cell):
    if isinstance(cell, dict):
        return " ".join(f"{key}={value}" for key, value in cell.items())
    return str(cell)


def text_table_get_table(separator: str, table: list[list[int | list[object] | dict[object, object] | str | None]]) -> str:
    result = ""
    for row in table:
        result += separator.join(_text(cell) for cell in row) + "\n"
    return result
