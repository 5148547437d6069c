# wrong: of a JSON array only a third value (the height) is dropped; longer arrays come back whole
import json


def coords_from_query(query):
    try:
        coords = json.loads(query)
    except ValueError:
        return tuple(float(v) for v in query.replace(",", " ").split())[:2]
    if len(coords) == 3:
        coords = coords[:-1]
    return tuple(coords)
