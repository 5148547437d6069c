# wrong: empty cells at the end of a row are cut off together with their separators


def text_table_get_table(separator: str, table: list[list[int | list[object] | dict[object, object] | str | None]]) -> str:
    out = []
    for row in table:
        cells = [str(cell) for cell in row]
        while cells and not cells[-1]:
            cells.pop()
        out.append(separator.join(cells))
        out.append("\n")
    return "".join(out)
