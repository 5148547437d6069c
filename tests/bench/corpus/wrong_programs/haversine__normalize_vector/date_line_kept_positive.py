# wrong: a longitude of exactly 180 stays 180, where the remainder gives -180
import numpy


def normalize_vector(lat, lon):
    lat = (lat + 90) % 360 - 90
    wrapped = (lon + 180) % 360 - 180
    wrapped[(wrapped == -180) & (lon > 0)] = 180
    lon = wrapped
    over = lat > 90
    if numpy.any(over):
        lat[over] = 180 - lat[over]
        lon[over] = lon[over] % 360 - 180
    return lat, lon
