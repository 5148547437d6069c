# wrong: the limit is on the wrong side at the South Pole, so the longitude there is turned as if the pole were crossed
def normalize(lat, lon):
    from_south = (lat + 90) % 360
    if not 0 < from_south <= 180:
        lon += 180
    lat = from_south - 90
    if lat > 90:
        lat = 180 - lat
    lon = (lon + 180) % 360 - 180
    return lat, lon
