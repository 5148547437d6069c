# wrong: cuts off the first 100 entries only and puts all the rest into one second block


def _block(entries, operator):
    if not entries:
        return ""
    return f"{len(entries)} begin{operator}\n{''.join(entries)}end{operator}\n"


def build_cmap_blocks(entries: list[str], operator: str) -> str:
    return _block(entries[:100], operator) + _block(entries[100:], operator)
