# Wrong: where the last cell so far is empty, the separator is left out.
def join_rows(rows: list[list[str]], separator: str) -> list[str]:
    joined = list(rows[0])
    for row in rows[1:]:
        row = row or [""]
        if joined[-1]:
            joined[-1] += separator + row[0]
        else:
            joined[-1] = row[0]
        joined.extend(row[1:])
    return joined
