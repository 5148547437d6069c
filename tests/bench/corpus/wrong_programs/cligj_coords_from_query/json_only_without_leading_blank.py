# wrong: a line counts as JSON only if its very first character is the bracket
import json


def coords_from_query(query):
    if query.startswith("["):
        values = json.loads(query)
    else:
        values = [float(v) for v in query.replace(",", " ").split()]
    return tuple(values[:2])
