# Wrong: the decimal goes through a float.
from decimal import Decimal


def default(obj):
    if isinstance(obj, Decimal):
        return {"__decimal__": str(float(obj)) if obj % 1 else str(obj)}
    raise TypeError(f"Object of type {type(obj).__name__} is not JSON serializable")
