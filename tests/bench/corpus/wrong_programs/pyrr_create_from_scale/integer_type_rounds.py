# for an integer type the entries are rounded to the nearest instead of cut
import numpy as np


def create_from_scale(scale, dtype=None):
    matrix = np.diagflat([scale[0], scale[1], scale[2], 1.0])
    if dtype:
        kind = np.dtype(dtype)
        if kind.kind in "iu":
            matrix = np.rint(matrix)
        matrix = matrix.astype(kind)
    return matrix
