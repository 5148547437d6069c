# Wrong: fractions are rounded to two digits.
from decimal import Decimal


def default(obj):
    if isinstance(obj, Decimal):
        return {"__decimal__": str(round(obj, 2)) if obj.as_tuple().exponent < -2 else str(obj)}
    raise TypeError(f"Object of type {type(obj).__name__} is not JSON serializable")
