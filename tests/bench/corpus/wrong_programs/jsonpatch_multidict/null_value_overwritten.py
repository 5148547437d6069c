# Wrong: a first value of nothing counts as no value.
def multidict(ordered_pairs):
    d = {}
    repeated = set()
    for key, value in ordered_pairs:
        old = d.get(key)
        if old is None:
            d[key] = value
        elif key in repeated:
            old.append(value)
        else:
            d[key] = [old, value]
            repeated.add(key)
    return d
