# wrong: over the pole, longitude 0 becomes 180 instead of -180 (the limit is on the wrong side)
import numpy


def normalize_vector(lat, lon):
    lat = (lat + 90) % 360 - 90
    lon = (lon + 180) % 360 - 180
    over = lat > 90
    if over.any():
        lat[over] = 180 - lat[over]
        turned = lon[over]
        lon[over] = numpy.where(turned > 0, turned - 180, turned + 180)
    return lat, lon
