# Wrong: halves are rounded up (ROUND_HALF_UP) instead of to the even digit.
from decimal import ROUND_HALF_UP, Decimal


def _f(value):
    return str(Decimal(value).quantize(Decimal("0.001"), rounding=ROUND_HALF_UP))


def table_border_style_get_change_dash_command(own_dash: float | None, own_gap: float, own_phase: float, scale: float, pdf: dict[str, int | list[object] | dict[object, object] | str | None] | None = None) -> list[str]:
    if pdf is None:
        dash, gap, phase = own_dash, own_gap, own_phase
    else:
        p = pdf["dash_pattern"]
        dash, gap, phase = p["dash"], p["gap"], p["phase"]
    if dash is None:
        return []
    if dash <= 0:
        return ["[] 0 d"]
    if gap is None or gap <= 0:
        return [f"[{_f(dash * scale)}] {_f(phase * scale)} d"]
    return [f"[{_f(dash * scale)} {_f(gap * scale)}] {_f(phase * scale)} d"]
