# wrong: off by one: two entries are held to be too few


def eta_rate_unstable(rate, timing_data):
    if len(timing_data) <= 2:
        return 0.0
    if float(rate) == 0.0:
        return 0.0
    x1, y1 = timing_data[-2]
    x2, y2 = timing_data[-1]
    return (y2 - y1) / (x2 - x1)
