# Wrong: a one-dimensional array of another dtype than a whole number becomes float64.
import numpy as np


def handle_feature(fea: object) -> object:
    if fea.ndim == 1:
        dtype = fea.dtype if fea.dtype.kind == "i" else np.float64
        return np.array([[x] for x in fea], dtype=dtype).reshape(len(fea), 1)
    return fea
