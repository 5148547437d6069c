# wrong: a negative gid counts from the end of the order
def true_type_program_advance_1000(num_glyphs: float, units_per_em: float, order: list[str], metrics: dict[str, list[int]], gid: int) -> float | None:
    if gid >= num_glyphs:
        return None
    metric = metrics.get(order[gid])
    if metric is None:
        return None
    return metric[0] * 1000 / units_per_em
