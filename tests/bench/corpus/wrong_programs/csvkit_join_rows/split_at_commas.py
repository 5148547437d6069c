# Wrong: rows are glued to one line and split at commas again, so a comma inside a cell breaks it.
def join_rows(rows: list[list[str]], separator: str) -> list[str]:
    if not any(rows):
        return []
    return separator.join(",".join(row) for row in rows).split(",")
