# Wrong: a row of one cell is treated as an empty row (<= 1 for == 0), so its cell is lost.
def join_rows(rows: list[list[str]], separator: str) -> list[str]:
    out = list(rows[0])
    for row in rows[1:]:
        if len(row) <= 1:
            row = [""]
        out[-1] = separator.join([out[-1], row[0]])
        out += row[1:]
    return out
