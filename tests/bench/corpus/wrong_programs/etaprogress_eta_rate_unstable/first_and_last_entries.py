# wrong: the slope from the first entry to the last in place of the last two


def eta_rate_unstable(rate, timing_data):
    if len(timing_data) < 2 or float(rate) == 0.0:
        return 0.0
    x1, y1 = timing_data[0]
    x2, y2 = timing_data[-1]
    if x1 == x2:
        return 0.0
    return (y2 - y1) / (x2 - x1)
