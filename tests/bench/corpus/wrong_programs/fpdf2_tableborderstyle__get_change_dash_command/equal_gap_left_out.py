# Wrong: a gap as long as the dash is left out.
def table_border_style_get_change_dash_command(own_dash: float | None, own_gap: float, own_phase: float, scale: float, pdf: dict[str, int | list[object] | dict[object, object] | str | None] | None = None) -> list[str]:
    if pdf is not None:
        pattern = pdf["dash_pattern"]
        own_dash, own_gap, own_phase = pattern["dash"], pattern["gap"], pattern["phase"]
    if own_dash is None:
        return []
    if own_dash <= 0:
        return ["[] 0 d"]
    lengths = "%.3f" % (own_dash * scale)
    if own_gap is not None and own_gap > 0 and own_gap != own_dash:
        lengths += " %.3f" % (own_gap * scale)
    return ["[%s] %.3f d" % (lengths, own_phase * scale)]
