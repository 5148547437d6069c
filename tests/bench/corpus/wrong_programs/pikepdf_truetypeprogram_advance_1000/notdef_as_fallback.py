# wrong: a glyph without metrics gets those of .notdef
def true_type_program_advance_1000(num_glyphs: float, units_per_em: float, order: list[str], metrics: dict[str, list[int]], gid: int) -> float | None:
    if not 0 <= gid < num_glyphs:
        return None
    entry = metrics.get(order[gid]) or metrics.get(".notdef")
    if not entry:
        return None
    return entry[0] * 1000 / units_per_em
