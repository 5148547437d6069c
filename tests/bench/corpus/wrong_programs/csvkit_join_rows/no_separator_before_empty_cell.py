# Wrong: where the next row begins with an empty cell, the separator is left out.
def join_rows(rows: list[list[str]], separator: str) -> list[str]:
    result = rows[0][:]
    for row in rows[1:]:
        if not row:
            result[-1] += separator
            continue
        if row[0]:
            result[-1] += separator + row[0]
        result += row[1:]
    return result
