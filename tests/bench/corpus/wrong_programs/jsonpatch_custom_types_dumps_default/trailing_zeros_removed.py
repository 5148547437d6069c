# Wrong: the decimal is normalised.
from decimal import Decimal


def default(obj):
    if isinstance(obj, Decimal):
        return {"__decimal__": str(obj.normalize())}
    raise TypeError(f"Object of type {type(obj).__name__} is not JSON serializable")
