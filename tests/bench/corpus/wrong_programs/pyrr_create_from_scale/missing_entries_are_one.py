# entries that are missing are taken as 1 instead of IndexError
import numpy as np


def create_from_scale(scale, dtype=None):
    entries = (list(scale[:3]) + [1.0, 1.0, 1.0])[:3]
    matrix = np.diagflat(entries + [1.0])
    return matrix.astype(dtype) if dtype else matrix
