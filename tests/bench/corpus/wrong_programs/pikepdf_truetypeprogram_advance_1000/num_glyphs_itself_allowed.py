# wrong: lets gid be equal to the number of glyphs
def true_type_program_advance_1000(num_glyphs: float, units_per_em: float, order: list[str], metrics: dict[str, list[int]], gid: int) -> float | None:
    if gid < 0 or gid > num_glyphs or gid >= len(order):
        return None
    metric = metrics.get(order[gid])
    if metric is None or not units_per_em:
        return None
    return metric[0] * 1000 / units_per_em
