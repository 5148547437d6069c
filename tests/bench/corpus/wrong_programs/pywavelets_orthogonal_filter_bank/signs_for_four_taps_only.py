# wrong: the alternating signs are written down for four coefficients only; longer filters fail
import numpy as np


def orthogonal_filter_bank(scaling_filter):
    h = np.asarray(scaling_filter, dtype=float)
    rec_lo = np.sqrt(2) * h / np.sum(h)
    signs = np.array([1.0, -1.0, 1.0, -1.0])[:len(h)]
    rec_hi = rec_lo[::-1] * signs
    return (rec_lo[::-1], rec_hi[::-1], rec_lo, rec_hi)
