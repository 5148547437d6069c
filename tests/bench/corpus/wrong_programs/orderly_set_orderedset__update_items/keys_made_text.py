# Wrong: the keys of the map are turned to text, so that 1 and "1" are one key.
def ordered_set_update_items(items):
    items = list(items)
    return {"items": items, "map": {str(item): i for i, item in enumerate(items)}}
