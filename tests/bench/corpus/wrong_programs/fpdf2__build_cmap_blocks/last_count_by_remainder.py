# wrong: the count of the last block is the remainder by 100, so a full last block says 0


def build_cmap_blocks(entries: list[str], operator: str) -> str:
    limit = 100
    starts = range(0, len(entries), limit)
    result = ""
    for start in starts:
        count = len(entries) % limit if start == starts[-1] else limit
        result += f"{count} begin{operator}\n"
        result += "".join(entries[start:start + limit])
        result += f"end{operator}\n"
    return result
