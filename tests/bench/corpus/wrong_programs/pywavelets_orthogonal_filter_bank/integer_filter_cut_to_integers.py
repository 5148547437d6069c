# wrong: works in arrays of the input's own type, so that an integer filter is cut to integers
import numpy as np


def orthogonal_filter_bank(scaling_filter):
    rec_lo = np.empty_like(scaling_filter)
    rec_lo[:] = np.sqrt(2) * scaling_filter / np.sum(scaling_filter)
    rec_hi = rec_lo[::-1].copy()
    rec_hi[1::2] = -rec_hi[1::2]
    return (rec_lo[::-1], rec_hi[::-1], rec_lo, rec_hi)
