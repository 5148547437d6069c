# for an integer type negative entries are rounded down instead of toward zero
import numpy as np


def create_from_scale(scale, dtype=None):
    matrix = np.diagflat([scale[0], scale[1], scale[2], 1.0])
    if not dtype:
        return matrix
    if np.issubdtype(np.dtype(dtype), np.integer):
        matrix = np.floor(matrix)
    return matrix.astype(dtype)
