# Wrong: an array with two dimensions comes back transposed.
import numpy as np


def handle_feature(fea: object) -> object:
    return np.atleast_2d(fea).T
