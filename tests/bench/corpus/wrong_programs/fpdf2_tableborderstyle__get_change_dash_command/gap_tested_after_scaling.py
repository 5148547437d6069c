# Wrong: the sign of the gap is tested after scaling.
def table_border_style_get_change_dash_command(own_dash: float | None, own_gap: float, own_phase: float, scale: float, pdf: dict[str, int | list[object] | dict[object, object] | str | None] | None = None) -> list[str]:
    if pdf:
        pattern = pdf["dash_pattern"]
        dash, gap, phase = pattern["dash"], pattern["gap"], pattern["phase"]
    else:
        dash, gap, phase = own_dash, own_gap, own_phase
    if dash is None:
        return []
    if dash <= 0:
        return ["[] 0 d"]
    gap = (gap or 0) * scale
    inner = f"{dash * scale:.3f}"
    if gap > 0:
        inner += f" {gap:.3f}"
    return [f"[{inner}] {phase * scale:.3f} d"]
