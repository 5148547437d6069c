# wrong: at an exact multiple of 100 entries an empty block "0 begin…" follows


def build_cmap_blocks(entries: list[str], operator: str) -> str:
    if not entries:
        return ""
    out = []
    for n in range(len(entries) // 100 + 1):
        chunk = entries[n * 100:(n + 1) * 100]
        out.append(f"{len(chunk)} begin{operator}\n")
        out.extend(chunk)
        out.append(f"end{operator}\n")
    return "".join(out)
