# Wrong: repr is used.
from decimal import Decimal


def default(obj):
    if isinstance(obj, Decimal):
        return {"__decimal__": repr(obj)}
    raise TypeError(f"Object of type {type(obj).__name__} is not JSON serializable")
