# Wrong: repeated keys keep the last value only.
def multidict(ordered_pairs):
    return dict(ordered_pairs)
