# WRONG: coordinates are compared as 32-bit floats, which do not tell large neighbouring integers apart.
import numpy as np


def polygon_array_outside_bbox(xmin_ints, xmax_ints, ymin_ints, ymax_ints, poly_id, x, y):
    x = np.float32(x)
    y = np.float32(y)
    if x > np.float32(xmax_ints[poly_id]):
        return True
    if x < np.float32(xmin_ints[poly_id]):
        return True
    if y > np.float32(ymax_ints[poly_id]):
        return True
    if y < np.float32(ymin_ints[poly_id]):
        return True
    return False
