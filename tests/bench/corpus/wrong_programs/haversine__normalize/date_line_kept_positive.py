# wrong: a longitude of exactly 180 stays 180, where the remainder gives -180
def normalize(lat, lon):
    east = lon > 0
    lat = (lat + 90) % 360 - 90
    if lat > 90:
        lat = 180 - lat
        lon += 180
    lon = (lon + 180) % 360 - 180
    if lon == -180 and east:
        lon = 180.0
    return lat, lon
