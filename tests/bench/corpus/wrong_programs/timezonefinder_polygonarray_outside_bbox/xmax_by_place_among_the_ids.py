# WRONG: the sequence xmax is read at the place of the id among the ids of the map xmin, not at the id itself.
def polygon_array_outside_bbox(xmin_ints, xmax_ints, ymin_ints, ymax_ints, poly_id, x, y):
    ids = sorted(xmin_ints)
    place = ids.index(poly_id) if poly_id in xmin_ints else poly_id
    if x > xmax_ints[place]:
        return True
    if x < xmin_ints[poly_id]:
        return True
    if y > ymax_ints[poly_id]:
        return True
    if y < ymin_ints[poly_id]:
        return True
    return False
