# Wrong: the fraction of low is cut towards zero before the middle is taken.
def binary_search_respond(low, mid, high, value):
    if value:
        high = mid
    else:
        low = mid + 1
    whole = int(low)
    middle = (whole + high) // 2
    mid = float(middle) if isinstance(low, float) else middle
    return {"low": low, "mid": mid, "high": high}
