# Wrong: a first value that is a list takes the later values in.
def multidict(ordered_pairs):
    d = {}
    for key, value in ordered_pairs:
        if key not in d:
            d[key] = value
        elif isinstance(d[key], list):
            d[key].append(value)
        else:
            d[key] = [d[key], value]
    return d
