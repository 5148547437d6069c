# wrong: at the South Pole itself (180 degrees from the North Pole) the longitude is turned already
import numpy


def normalize_vector(lat, lon):
    lon = (lon + 180) % 360 - 180
    from_north = (90 - lat) % 360
    over = from_north >= 180
    if numpy.any(over):
        from_north[over] = 360 - from_north[over]
        lon[over] = lon[over] % 360 - 180
    return 90 - from_north, lon
