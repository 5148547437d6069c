# Takes equal numbers of different types (1 and 1.0) for different items, which dict.fromkeys does not.
def unique_list(lst):
    items = list(lst)
    try:
        return [item for _, item in dict.fromkeys((type(item), item) for item in items)]
    except TypeError:
        out = []
        for item in items:
            if not any(type(item) is type(seen) and item == seen for seen in out):
                out.append(item)
        return out
