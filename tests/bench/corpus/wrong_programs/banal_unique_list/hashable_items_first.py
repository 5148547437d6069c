# In a list with both kinds the hashable items come first and the unhashable ones after them, so the order of first appearance is lost.
def unique_list(lst):
    hashable = {}
    unhashable = []
    for item in lst:
        try:
            hashable.setdefault(item)
        except TypeError:
            if item not in unhashable:
                unhashable.append(item)
    return list(hashable) + unhashable
