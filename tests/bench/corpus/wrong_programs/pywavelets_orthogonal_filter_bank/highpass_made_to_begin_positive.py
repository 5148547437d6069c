# wrong: the high-pass filter is negated when its first coefficient is negative
import numpy as np


def orthogonal_filter_bank(scaling_filter):
    h = np.asarray(scaling_filter, dtype=float)
    rec_lo = np.sqrt(2) * h / np.sum(h)
    rec_hi = rec_lo[::-1].copy()
    rec_hi[1::2] = -rec_hi[1::2]
    if len(rec_hi) and rec_hi[0] < 0:
        rec_hi = -rec_hi
    return (rec_lo[::-1], rec_hi[::-1], rec_lo, rec_hi)
