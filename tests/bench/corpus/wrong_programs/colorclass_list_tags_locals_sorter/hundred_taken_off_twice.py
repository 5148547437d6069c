# Wrong: for a tag that is both below 10 and auto, 100 is taken off twice.
def sorter(four_item) -> float:
    tag, main, closing = four_item[0], four_item[2], four_item[3]
    if not main:
        return closing - 200
    weight = main
    if main < 10:
        weight -= 100
    if tag and tag.startswith("auto"):
        weight -= 100
    return weight
