# Wrong: halves with a float division, so that large integers lose their last digits.
import math


def binary_search_respond(low, mid, high, value):
    if value:
        high = mid
    else:
        low = mid + 1
    total = low + high
    mid = type(total)(math.floor(total / 2))
    return {"low": low, "mid": mid, "high": high}
