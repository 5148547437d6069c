# WRONG: the limits of y are rounded up to whole numbers, so a point just above a fractional ymax counts as inside.
import math


def polygon_array_outside_bbox(xmin_ints, xmax_ints, ymin_ints, ymax_ints, poly_id, x, y):
    if x > xmax_ints[poly_id]:
        return True
    if x < xmin_ints[poly_id]:
        return True
    if y > math.ceil(ymax_ints[poly_id]):
        return True
    if y < math.ceil(ymin_ints[poly_id]):
        return True
    return False
