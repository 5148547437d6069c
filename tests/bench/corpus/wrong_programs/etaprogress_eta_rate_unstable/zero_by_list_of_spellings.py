# wrong: a rate of zero is known only by a few spellings; "0.00" and "00" are zero too


def eta_rate_unstable(rate, timing_data):
    if len(timing_data) < 2:
        return 0.0
    if rate.strip().lstrip("+-") in ("0", "0.", "0.0"):
        return 0.0
    x1, y1 = timing_data[-2]
    x2, y2 = timing_data[-1]
    return (y2 - y1) / (x2 - x1)
