# for bool only entries above zero give True, not negative ones
import numpy as np


def create_from_scale(scale, dtype=None):
    matrix = np.diagflat([scale[0], scale[1], scale[2], 1.0])
    if not dtype:
        return matrix
    if np.dtype(dtype) == np.bool_:
        return matrix > 0
    return matrix.astype(dtype)
