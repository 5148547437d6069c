# Wrong: sorts the distinct items to fill the map, which fails where integers and texts are mixed.
def ordered_set_update_items(items):
    own_items = list(items)
    last = len(own_items) - 1
    backwards = own_items[::-1]
    index = {item: last - backwards.index(item) for item in sorted(set(own_items))}
    return {"items": own_items, "map": index}
