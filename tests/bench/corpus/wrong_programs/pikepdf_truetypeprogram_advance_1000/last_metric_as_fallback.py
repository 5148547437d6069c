# wrong: glyphs past the end of the metrics get the last width (the rule for the raw table)
def true_type_program_advance_1000(num_glyphs: float, units_per_em: float, order: list[str], metrics: dict[str, list[int]], gid: int) -> float | None:
    if not 0 <= gid < num_glyphs:
        return None
    name = order[gid]
    if name not in metrics:
        if not metrics or gid < len(metrics):
            return None
        name = list(metrics)[-1]
    return 1000.0 * metrics[name][0] / units_per_em
