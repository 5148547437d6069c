# Wrong: only null and 0 count as an absent third item, an empty text does not.
def sorter(four_item) -> float:
    tag, closing = four_item[0], four_item[3]
    main = four_item[2]
    if main is None or main == 0:
        return closing - 200
    if main < 10 or tag.startswith("auto"):
        return main - 100
    return main
