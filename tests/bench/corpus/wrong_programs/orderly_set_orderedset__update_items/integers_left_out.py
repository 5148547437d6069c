# Wrong: integers are taken for positions and get no entry in the map.
def ordered_set_update_items(items):
    own_items = list(items)
    index = {}
    for position, item in enumerate(own_items):
        if isinstance(item, int):
            continue
        index[item] = position
    return {"items": own_items, "map": index}
