# Wrong: when low and high meet the search is over, and mid is not brought up to date.
def binary_search_respond(low, mid, high, value):
    if value:
        high = mid
    else:
        low = mid + 1
    if low != high:
        mid = (low + high) // 2
    return {"low": low, "mid": mid, "high": high}
