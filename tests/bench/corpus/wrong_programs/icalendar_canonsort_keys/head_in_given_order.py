# WRONG: canonical keys keep the order of the input
def canonsort_keys(keys, canonical_order=None):
    rank = {k: i for i, k in enumerate(canonical_order or [])}
    head = [k for k in keys if k in rank]
    tail = [k for k in keys if k not in rank]
    return head + sorted(tail)
