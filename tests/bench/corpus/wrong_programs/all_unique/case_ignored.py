# Takes "A" and "a" for the same.
def all_unique(items):
    lowered = [item.lower() for item in items]
    return len(set(lowered)) == len(lowered)
