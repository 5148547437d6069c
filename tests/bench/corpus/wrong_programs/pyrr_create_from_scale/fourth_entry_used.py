# a fourth entry of scale becomes the last of the diagonal
import numpy as np


def create_from_scale(scale, dtype=None):
    if len(scale) < 3:
        raise IndexError("scale needs three entries")
    diagonal = (list(scale) + [1.0])[:4]
    matrix = np.diagflat(diagonal + [1.0])[:4, :4].copy()
    return matrix.astype(dtype) if dtype else matrix
