# Wrong: the exponent form is written out.
from decimal import Decimal


def default(obj):
    if isinstance(obj, Decimal):
        return {"__decimal__": format(obj, "f")}
    raise TypeError(f"Object of type {type(obj).__name__} is not JSON serializable")
