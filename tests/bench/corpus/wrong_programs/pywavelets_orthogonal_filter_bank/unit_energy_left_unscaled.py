# wrong: a filter whose squares add up to 1 is taken for normalised and is not scaled by its sum
import numpy as np


def orthogonal_filter_bank(scaling_filter):
    h = np.asarray(scaling_filter, dtype=float)
    if np.isclose(np.dot(h, h), 1.0):
        rec_lo = h.copy()
    else:
        rec_lo = np.sqrt(2) * h / np.sum(h)
    rec_hi = rec_lo[::-1].copy()
    rec_hi[1::2] = -rec_hi[1::2]
    return (rec_lo[::-1], rec_hi[::-1], rec_lo, rec_hi)
