# a dtype that NumPy does not know is ignored instead of TypeError
import numpy as np


def create_from_scale(scale, dtype=None):
    matrix = np.diagflat([scale[0], scale[1], scale[2], 1.0])
    if dtype:
        try:
            matrix = matrix.astype(dtype)
        except TypeError:
            pass
    return matrix
