# wrong: numbers are picked out of the text by a pattern that knows no exponent
import json
import re

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)")


def coords_from_query(query):
    try:
        coords = json.loads(query)
    except ValueError:
        coords = [float(match) for match in NUMBER.findall(query)]
    return tuple(coords[:2])
