# wrong: lists are written by hand with str() of each element, so texts in them lose their quotes


def _text(cell):
    if isinstance(cell, (list, tuple)):
        return "[" + ", ".join(_text(item) for item in cell) + "]"
    return str(cell)


def text_table_get_table(separator: str, table: list[list[int | list[object] | dict[object, object] | str | None]]) -> str:
    lines = [separator.join(_text(cell) for cell in row) for row in table]
    return "".join(line + "\n" for line in lines)
