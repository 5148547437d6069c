# WRONG: a point on the right edge (x equal to xmax) counts as outside.
def polygon_array_outside_bbox(xmin_ints, xmax_ints, ymin_ints, ymax_ints, poly_id, x, y):
    if x >= xmax_ints[poly_id]:
        return True
    if x < xmin_ints[poly_id]:
        return True
    if y > ymax_ints[poly_id]:
        return True
    if y < ymin_ints[poly_id]:
        return True
    return False
