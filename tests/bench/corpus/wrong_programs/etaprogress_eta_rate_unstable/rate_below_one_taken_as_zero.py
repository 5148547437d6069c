# wrong: the rate is cut to an integer before it is compared with zero, so 0.5 counts as stalled


def eta_rate_unstable(rate, timing_data):
    if len(timing_data) < 2 or int(float(rate)) == 0:
        return 0.0
    (x1, y1), (x2, y2) = timing_data[-2:]
    return (y2 - y1) / (x2 - x1)
