# Wrong: arrays with three or more dimensions are flattened to two.
import math


def handle_feature(fea: object) -> object:
    if fea.ndim in (0, 2):
        return fea
    return fea.reshape(fea.shape[0], math.prod(fea.shape[1:]))
