# wrong: texts of a JSON array that look like numbers are turned into numbers
import json


def to_number(value):
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value


def coords_from_query(query):
    try:
        coords = json.loads(query)
    except ValueError:
        coords = query.replace(",", " ").split()
    return tuple(to_number(v) for v in coords[:2])
