# WRONG: canonical keys that are not there appear
def canonsort_keys(keys, canonical_order=None):
    rank = {k: i for i, k in enumerate(canonical_order or [])}
    head = list(rank)
    tail = [k for k in keys if k not in rank]
    return sorted(head, key=rank.__getitem__) + sorted(tail)
